package main

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"

	"github.com/cosi-project/runtime/pkg/safe"
	storageapi "github.com/siderolabs/talos/pkg/machinery/api/storage"
	"github.com/siderolabs/talos/pkg/machinery/client"
	"github.com/siderolabs/talos/pkg/machinery/resources/block"
)

// wipes takes the volume away that the first config came on, and nothing that Talos uses.
func (p *play) wipes(ctx context.Context) error {
	var volume *block.DiscoveredVolume
	if err := eventually(ctx, "a config volume", func(ctx context.Context) (err error) {
		volume, err = p.configVolume(ctx)
		return err
	}); err != nil {
		return err
	}
	device, disk := volume.Metadata().ID(), volume.TypedSpec().Parent
	one := client.WithNodes(ctx, p.Machines[0].Address)
	wiped, err := p.admin.StorageClient.BlockDeviceWipe(one, wiping(device))
	if err != nil {
		return err
	}
	_, gone := p.configVolume(ctx)
	return all(
		expect("its file system", volume.TypedSpec().Name, "iso9660"),
		expect("who wiped", first(wiped.GetMessages()).GetMetadata().GetHostname(), p.Machines[0].Address),
		expect("the volume is gone", errors.Is(gone, errNoVolume), true),
		refused("what is gone", p.admin.BlockDeviceWipe(ctx, wiping(device)), codes.NotFound, `blockdevice "`+device+`" not found`),
		refused("the system's disk", p.admin.BlockDeviceWipe(ctx, &storageapi.BlockDeviceWipeRequest{
			Devices: []*storageapi.BlockDeviceWipeDescriptor{{Device: disk}},
		}), codes.FailedPrecondition, `blockdevice "`+disk+`" is in use by volume`),
		refused("a reader's wipe", p.reader.BlockDeviceWipe(ctx, wiping(disk)), codes.PermissionDenied, "not authorized"),
	)
}

var errNoVolume = errors.New("there is no config volume")

func (p *play) configVolume(ctx context.Context) (*block.DiscoveredVolume, error) {
	volumes, err := safe.StateListAll[*block.DiscoveredVolume](ctx, p.admin.COSI)
	if err != nil {
		return nil, err
	}
	for volume := range volumes.All() {
		if volume.TypedSpec().Label == "metal-iso" {
			return volume, nil
		}
	}
	return nil, errNoVolume
}

// wiping has every field set.
func wiping(device string) *storageapi.BlockDeviceWipeRequest {
	return &storageapi.BlockDeviceWipeRequest{Devices: []*storageapi.BlockDeviceWipeDescriptor{{
		Device:             device,
		Method:             storageapi.BlockDeviceWipeDescriptor_ZEROES,
		DropPartition:      true,
		SkipVolumeCheck:    true,
		SkipSecondaryCheck: true,
	}}}
}
