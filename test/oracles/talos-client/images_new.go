//go:build !talos112

package main

import (
	"context"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/siderolabs/talos/pkg/machinery/api/common"
	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
)

// imageService came with 1.13.
func (p *play) imageService(ctx context.Context) error {
	place := &common.ContainerdInstance{Driver: common.ContainerDriver_CRI, Namespace: common.ContainerdNamespace_NS_SYSTEM}
	pulling, err := p.admin.ImageClient.Pull(ctx, &machineapi.ImageServicePullRequest{Containerd: place, ImageRef: installer})
	if err != nil {
		return err
	}
	list, err := p.admin.ImageClient.List(ctx, &machineapi.ImageServiceListRequest{Containerd: place})
	if err != nil {
		return err
	}
	pods := &common.ContainerdInstance{Driver: common.ContainerDriver_CRI, Namespace: common.ContainerdNamespace_NS_CRI}
	labelled, err := p.admin.ImageClient.List(ctx, &machineapi.ImageServiceListRequest{Containerd: pods})
	if err != nil {
		return err
	}
	never, err := p.admin.ImageClient.Pull(ctx, &machineapi.ImageServicePullRequest{Containerd: place, ImageRef: "registry.example/unicorn:1"})
	if err != nil {
		return err
	}
	_, none := never.Recv()
	return all(
		until("a pull", pulling.Recv, func(answer *machineapi.ImageServicePullResponse) (bool, error) {
			return answer.GetName() == installer, nil
		}),
		until("etcd's image", list.Recv, func(image *machineapi.ImageServiceListResponse) (bool, error) {
			return strings.HasPrefix(image.GetName(), "registry.k8s.io/etcd:"), nil
		}),
		until("an image with a label", labelled.Recv, func(image *machineapi.ImageServiceListResponse) (bool, error) {
			return len(image.GetLabels()) > 0, nil
		}),
		refused("an image that is nowhere", none, codes.NotFound, "not found"),
	)
}
