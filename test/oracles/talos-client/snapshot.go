package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"

	"google.golang.org/grpc/codes"

	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
)

// snapshot is what "talosctl etcd snapshot" receives: a database with its SHA-256 behind it.
func (p *play) snapshot(ctx context.Context) error {
	content, err := p.receiveSnapshot(ctx)
	if err != nil {
		return err
	}
	end := max(0, len(content)-sha256.Size)
	sum := sha256.Sum256(content[:end])
	_, elsewhere := p.receiveSnapshot(client.WithNode(ctx, p.worker().Address))
	return all(
		expect("what a snapshot has behind its last page", len(content)%512, sha256.Size),
		expect("the checksum of a snapshot is right", bytes.Equal(content[end:], sum[:]), true),
		refused("a snapshot of a worker", elsewhere, codes.Unimplemented, "etcd snapshot is only available on control plane nodes"),
	)
}

func (p *play) receiveSnapshot(ctx context.Context) ([]byte, error) {
	reader, err := p.admin.EtcdSnapshot(ctx, &machineapi.EtcdSnapshotRequest{})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return io.ReadAll(reader)
}
