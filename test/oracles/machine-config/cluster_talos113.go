//go:build !talos112

package main

import "github.com/siderolabs/talos/pkg/machinery/config/generate"

func clusterKubeSpan() generate.Option {
	return generate.WithKubeSpanEnabled(true)
}
