//go:build talos112 || talos113

package main

import (
	"time"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
)

func validate(bundle *secrets.Bundle, _ *config.VersionContract) error {
	return bundle.Validate()
}

func bundleFromConfig(from config.Config) (*secrets.Bundle, error) {
	return secrets.NewBundleFromConfig(secrets.NewFixedClock(time.Now()), from), nil
}
