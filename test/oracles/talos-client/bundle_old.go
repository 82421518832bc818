//go:build talos112 || talos113

package main

import (
	"time"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
)

func bundleOf(loaded config.Provider) (*secrets.Bundle, error) {
	return secrets.NewBundleFromConfig(secrets.NewFixedClock(time.Now()), loaded), nil
}
