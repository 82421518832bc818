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
func waiting(ctx context.Context, told scene, m machine, closely bool) error {
	c, err := client.New(ctx, client.WithTLSConfig(&tls.Config{InsecureSkipVerify: true}), client.WithEndpoints(m.Address),
		client.WithGRPCDialOptions(recording()...))
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
	if closely {
		if err := all(strangers(ctx, c, told.Minor), wrongInMaintenance(ctx, c, told)); err != nil {
			return err
		}
	}
	request := &machineapi.ApplyConfigurationRequest{Data: []byte(m.Config), Mode: machineapi.ApplyConfigurationRequest_AUTO, DryRun: true}
	tried, err := c.ApplyConfiguration(ctx, request)
	if err != nil {
		return err
	}
	if err := expect("a dry run has details", tried.GetMessages()[0].GetModeDetails() != "", true); err != nil {
		return err
	}
	request.DryRun = false
	reply, err := c.ApplyConfiguration(ctx, request)
	if err != nil {
		return err
	}
	// The old server for maintenance mode says nothing about the mode.
	mode := machineapi.ApplyConfigurationRequest_NO_REBOOT
	if told.Minor < 13 {
		mode = machineapi.ApplyConfigurationRequest_REBOOT
	}
	return expect("the mode of apply", reply.GetMessages()[0].GetMode(), mode)
}

// strangers may do little, and what they hear about the rest depends on the version.
func strangers(ctx context.Context, c *client.Client, minor int) error {
	_, err := c.Version(ctx)
	_, listing := c.ServiceList(ctx)
	_, asking := c.Time(ctx)
	reboot := c.Reboot(ctx)
	if minor < 13 {
		_, staged := c.ApplyConfiguration(ctx, &machineapi.ApplyConfigurationRequest{Mode: machineapi.ApplyConfigurationRequest_STAGED})
		return all(
			refused("Version", err, codes.Unimplemented, "API is not implemented in maintenance mode"),
			refused("ServiceList", listing, codes.Unimplemented, "method ServiceList not implemented"),
			refused("Time", asking, codes.Unimplemented, "unknown service time.TimeService"),
			refused("Reboot", reboot, codes.Unimplemented, "method Reboot not implemented"),
			refused("a staged config", staged, codes.Unimplemented, "apply configuration --mode='staged' is not supported in maintenance mode"),
		)
	}
	return all(err, listing, asking, refused("Reboot", reboot, codes.PermissionDenied, "not authorized"))
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
	macs := map[string]bool{}
	for link := range links.All() {
		if link.TypedSpec().Physical() {
			macs[fmt.Sprint(link.TypedSpec().PermanentAddr)] = true
		}
	}
	if err := expect("a physical link has the MAC address", macs[m.MAC], true); err != nil {
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
