package main

import (
	"context"
	"crypto/tls"
	"fmt"

	"github.com/cosi-project/runtime/pkg/safe"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
	"github.com/siderolabs/talos/pkg/machinery/resources/block"
	"github.com/siderolabs/talos/pkg/machinery/resources/config"
	"github.com/siderolabs/talos/pkg/machinery/resources/hardware"
	"github.com/siderolabs/talos/pkg/machinery/resources/network"
)

// waiting looks at a machine in maintenance mode and gives it its config, as `talosctl apply-config --insecure` does.
func waiting(ctx context.Context, m machine) error {
	c, err := client.New(ctx, client.WithTLSConfig(&tls.Config{InsecureSkipVerify: true}), client.WithEndpoints(m.Address))
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck
	if err := eventually(ctx, "Disks", func(ctx context.Context) error {
		_, err := c.Disks(ctx)
		return err
	}); err != nil {
		return err
	}
	if err := looks(ctx, c, m); err != nil {
		return err
	}
	if _, err := c.ApplyConfiguration(ctx, &machineapi.ApplyConfigurationRequest{Data: []byte("machine: {typo: true}")}); status.Code(err) != codes.InvalidArgument {
		return fmt.Errorf("a config with a typo gives %v", err)
	}
	reply, err := c.ApplyConfiguration(ctx, &machineapi.ApplyConfigurationRequest{
		Data: []byte(m.Config),
		Mode: machineapi.ApplyConfigurationRequest_AUTO,
	})
	if err != nil {
		return err
	}
	return expect("the mode of apply", reply.GetMessages()[0].GetMode(), machineapi.ApplyConfigurationRequest_NO_REBOOT)
}

// looks decodes what identifies a machine, through the types of Talos itself.
func looks(ctx context.Context, c *client.Client, m machine) error {
	info, err := safe.StateGetByID[*hardware.SystemInformation](ctx, c.COSI, hardware.SystemInformationID)
	if err != nil {
		return err
	}
	if err := expect("the uuid", info.TypedSpec().UUID, m.UUID); err != nil {
		return err
	}
	links, err := safe.StateListAll[*network.LinkStatus](ctx, c.COSI)
	if err != nil {
		return err
	}
	link := links.Get(0)
	if err := expect("the MAC address", fmt.Sprint(link.TypedSpec().PermanentAddr), m.MAC); err != nil {
		return err
	}
	if err := expect("the link is physical", link.TypedSpec().Physical(), true); err != nil {
		return err
	}
	disk, err := safe.StateGetByID[*block.Disk](ctx, c.COSI, "sda")
	if err != nil {
		return err
	}
	if err := expect("the disk", disk.TypedSpec().DevPath, "/dev/sda"); err != nil {
		return err
	}
	_, err = safe.StateGetByID[*config.MachineConfig](ctx, c.COSI, config.ActiveID)
	return expect("who asks for a config without a certificate", status.Code(err), codes.PermissionDenied)
}
