//go:build talos112

package main

import (
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/types/v1alpha1"
)

func clusterKubeSpan() generate.Option {
	return generate.WithNetworkOptions(v1alpha1.WithKubeSpan())
}
