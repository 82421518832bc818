package main

import (
	"context"
	"crypto/tls"
	"fmt"

	"google.golang.org/grpc/codes"

	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
)

// ends: a machine is rebooted, one is reset and waits for a config again, one is switched off.
func (p *play) ends(ctx context.Context) error {
	return all(p.rebooted(ctx), p.reset(ctx), p.shutDown(ctx))
}

func (p *play) bootID(ctx context.Context) (string, error) {
	return text(p.admin.Read(ctx, "/proc/sys/kernel/random/boot_id"))
}

func (p *play) rebooted(ctx context.Context) error {
	worker := client.WithNode(ctx, p.worker().Address)
	before, err := p.bootID(worker)
	if err != nil {
		return err
	}
	reply, err := p.admin.RebootWithResponse(client.WithNodes(ctx, p.worker().Address), client.WithPowerCycle)
	if err != nil {
		return err
	}
	if err := expect("the actor has a name", len(reply.GetMessages()[0].GetActorId()), 36); err != nil {
		return err
	}
	return eventually(worker, "the worker boots again", func(ctx context.Context) error {
		after, err := p.bootID(ctx)
		if err == nil && after == before {
			err = fmt.Errorf("it has not gone down")
		}
		return err
	})
}

func (p *play) reset(ctx context.Context) error {
	second := p.controlPlanes()[1]
	node := client.WithNode(ctx, second.Address)
	system := machineapi.ResetRequest_SYSTEM_DISK
	disk := p.admin.ResetGeneric(node, &machineapi.ResetRequest{UserDisksToWipe: []string{"/dev/sdx"}})
	both := p.admin.ResetGeneric(node, &machineapi.ResetRequest{UserDisksToWipe: []string{"/dev/sdx"}, Mode: system})
	label := p.admin.ResetGeneric(node, &machineapi.ResetRequest{SystemPartitionsToWipe: []*machineapi.ResetPartitionSpec{{Label: "UNICORN", Wipe: true}}})
	if err := all(
		refused("a disk that is not there", disk, codes.Unknown, "reset user disk failed: device /dev/sdx wasn't found"),
		refused("the wrong mode for a disk", both, codes.Unknown, "wipe mode SYSTEM_DISK doesn't support UserDisksToWipe parameter"),
		refused("a partition that is not there", label, codes.Unknown, `failed to get volume status with label "UNICORN"`),
	); err != nil {
		return err
	}
	heard, err := p.listen(node, client.WithTailEvents(-1))
	if err != nil {
		return err
	}
	reply, err := p.admin.MachineClient.Reset(client.WithNodes(ctx, second.Address), &machineapi.ResetRequest{
		Graceful: true, Reboot: true, Mode: system,
		SystemPartitionsToWipe: []*machineapi.ResetPartitionSpec{{Label: "STATE", Wipe: true}, {Label: "EPHEMERAL", Wipe: true}},
	})
	if err != nil {
		return err
	}
	actor := reply.GetMessages()[0].GetActorId()
	if err := heard(func(event client.Event) bool {
		begun, ok := event.Payload.(*machineapi.SequenceEvent)
		return ok && begun.GetSequence() == "reset" && event.ActorID == actor
	}); err != nil {
		return err
	}
	c, err := client.New(ctx, client.WithTLSConfig(&tls.Config{InsecureSkipVerify: true}), client.WithEndpoints(second.Address))
	if err != nil {
		return err
	}
	defer c.Close() //nolint:errcheck
	return eventually(ctx, "the machine waits for a config again", func(ctx context.Context) error {
		_, err := c.Disks(ctx)
		return err
	})
}

func (p *play) shutDown(ctx context.Context) error {
	worker := client.WithNode(ctx, p.worker().Address)
	all := client.WithNodes(ctx, p.worker().Address)
	// The lab lets the first one fail, which is told in events only.
	failing, err := p.admin.ShutdownWithResponse(all, client.WithShutdownForce(true))
	if err != nil {
		return err
	}
	if err := p.hears(worker, func(event client.Event) bool {
		failed, ok := event.Payload.(*machineapi.SequenceEvent)
		return ok && failed.GetError().GetMessage() == "sequence failed: the disk is busy"
	}, client.WithTailEvents(-1), client.WithActorID(failing.GetMessages()[0].GetActorId())); err != nil {
		return err
	}
	if err := p.admin.Shutdown(worker); err != nil {
		return err
	}
	return eventually(worker, "the worker is off", func(ctx context.Context) error {
		if _, err := p.admin.Version(ctx); err == nil {
			return fmt.Errorf("it still answers")
		}
		return nil
	})
}
