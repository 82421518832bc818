package main

import (
	"context"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
)

// cloud is the mode of a machine that was installed with its image.
type cloud struct{}

func (cloud) String() string        { return "cloud" }
func (cloud) RequiresInstall() bool { return false }
func (cloud) InContainer() bool     { return false }

// verdict is what Talos's own code says about a config, as its server answers it.
func verdict(config string, oldMaintenance bool) (codes.Code, string, error) {
	loaded, err := configloader.NewFromBytes([]byte(config))
	if err != nil {
		if oldMaintenance {
			return codes.Unknown, fmt.Sprintf("failed to parse config: %v", err), nil
		}
		return codes.InvalidArgument, err.Error(), nil
	}
	_, err = loaded.Validate(cloud{})
	if err == nil {
		return codes.OK, "", fmt.Errorf("Talos has nothing against it")
	}
	if oldMaintenance {
		return codes.InvalidArgument, fmt.Sprintf("configuration validation failed: %v", err), nil
	}
	return codes.InvalidArgument, err.Error(), nil
}

func refusesAll(ctx context.Context, c *client.Client, wrong []wrongConfig, oldMaintenance bool) error {
	for _, one := range wrong {
		code, text, err := verdict(one.Config, oldMaintenance)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
		_, err = c.ApplyConfiguration(ctx, &machineapi.ApplyConfigurationRequest{
			Data: []byte(one.Config),
			Mode: machineapi.ApplyConfigurationRequest_AUTO,
		})
		if err := all(
			expect("the code for "+one.Name, status.Code(err), code),
			expect("what is said about "+one.Name, status.Convert(err).Message(), text),
		); err != nil {
			return err
		}
	}
	return nil
}

func wrongInMaintenance(ctx context.Context, c *client.Client, told scene) error {
	return refusesAll(ctx, c, told.Wrong, told.Minor < 13)
}

func (p *play) wrongConfigs(ctx context.Context) error {
	return refusesAll(ctx, p.admin, p.Wrong, false)
}
