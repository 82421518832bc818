package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/siderolabs/talos/pkg/machinery/api/common"
	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
	clientconfig "github.com/siderolabs/talos/pkg/machinery/client/config"
)

const installer = "ghcr.io/siderolabs/installer:v1.13.9"

// inside is what runs and lies on nodes, asked of two of them at once.
func (p *play) inside(ctx context.Context) error {
	both := client.WithNodes(ctx, p.Machines[0].Address, p.worker().Address)
	return all(p.programs(both), p.usage(both), p.copies(ctx), p.images(ctx, both), p.meta(both), p.captures(ctx), p.newConfig(ctx), p.graph(both))
}

func (p *play) programs(ctx context.Context) error {
	containers, err := p.admin.Containers(ctx, "system", common.ContainerDriver_CONTAINERD)
	if err != nil {
		return err
	}
	_, wrong := p.admin.Containers(ctx, "system", common.ContainerDriver_CRI)
	stats, err := p.admin.Stats(ctx, "system", common.ContainerDriver_CONTAINERD)
	if err != nil {
		return err
	}
	pods, err := p.admin.Stats(ctx, "k8s.io", common.ContainerDriver_CRI)
	if err != nil {
		return err
	}
	processes, err := p.admin.Processes(ctx)
	if err != nil {
		return err
	}
	mounts, err := p.admin.Mounts(ctx)
	if err != nil {
		return err
	}
	disks, err := p.admin.MachineClient.DiskStats(ctx, &emptypb.Empty{})
	if err != nil {
		return err
	}
	sockets := &machineapi.NetstatRequest{
		Filter:  machineapi.NetstatRequest_LISTENING,
		Feature: &machineapi.NetstatRequest_Feature{Pid: true},
		L4Proto: &machineapi.NetstatRequest_L4Proto{Tcp: true, Tcp6: true, Udp: true, Udp6: true},
		Netns:   &machineapi.NetstatRequest_NetNS{Hostnetwork: true},
	}
	listening, err := p.admin.Netstat(ctx, sockets)
	if err != nil {
		return err
	}
	sockets.Filter = machineapi.NetstatRequest_CONNECTED
	connected, err := p.admin.Netstat(ctx, sockets)
	if err != nil {
		return err
	}
	api := false
	for _, record := range listening.GetMessages()[0].GetConnectrecord() {
		api = api || record.GetLocalport() == 50000 && record.GetProcess().GetName() == "apid"
	}
	names := []string{}
	for _, one := range containers.GetMessages()[0].GetContainers() {
		names = append(names, one.GetId()+" "+one.GetStatus())
	}
	return all(
		expect("containers of a control plane", strings.Join(names, ", "), "apid RUNNING, trustd RUNNING"),
		expect("containers of a worker", len(containers.GetMessages()[1].GetContainers()), 1),
		refused("Talos's containers by the CRI", wrong, codes.Unknown, "CRI inspector is supported only for K8s namespace"),
		expect("containers that use something", len(stats.GetMessages()[0].GetStats()), 2),
		expect("pods", len(pods.GetMessages()[0].GetStats()), 0),
		expect("the first process", processes.GetMessages()[0].GetProcesses()[0].GetPid(), 1),
		expect("there are mounts", len(mounts.GetMessages()[0].GetStats()) > 5, true),
		expect("disks", len(disks.GetMessages()[0].GetDevices()), 1),
		expect("apid listens", api, true),
		expect("the kubelet is connected", len(connected.GetMessages()[0].GetConnectrecord()), 1),
	)
}

func (p *play) usage(ctx context.Context) error {
	du, err := p.admin.DiskUsage(ctx, &machineapi.DiskUsageRequest{Paths: []string{"/etc"}, All: true, RecursionDepth: 3, Threshold: 1})
	if err != nil {
		return err
	}
	ls, err := p.admin.LS(ctx, &machineapi.ListRequest{Root: "/", Types: []machineapi.ListRequest_Type{machineapi.ListRequest_SYMLINK}})
	if err != nil {
		return err
	}
	return all(
		until("what /etc uses", du.Recv, func(info *machineapi.DiskUsageInfo) (bool, error) {
			return info.GetRelativeName() == "os-release" && info.GetSize() > 0, nil
		}),
		until("links in /", ls.Recv, func(info *machineapi.FileInfo) (bool, error) {
			return info.GetName() == "/bin" && info.GetLink() == "usr/bin", nil
		}),
	)
}

func (p *play) copies(ctx context.Context) error {
	packed, err := p.admin.Copy(ctx, "/sys/fs/cgroup")
	if err != nil {
		return err
	}
	defer packed.Close() //nolint:errcheck
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the cgroup of init was not copied")
		}
		if err != nil {
			return err
		}
		if header.Name == "init/cgroup.procs" {
			break
		}
	}
	missing, err := p.admin.Copy(ctx, "/nowhere")
	if err != nil {
		return err
	}
	_, none := io.ReadAll(missing)
	return expect("a copy of nothing", none != nil && strings.Contains(none.Error(), "no such file or directory"), true)
}

func (p *play) images(ctx, both context.Context) error {
	if err := p.admin.ImagePull(both, common.ContainerdNamespace_NS_CRI, installer); err != nil {
		return err
	}
	never := p.admin.ImagePull(ctx, common.ContainerdNamespace_NS_CRI, "registry.example/unicorn:1")
	list, err := p.admin.ImageList(both, common.ContainerdNamespace_NS_CRI)
	if err != nil {
		return err
	}
	return all(
		refused("an image that is nowhere", never, codes.NotFound, "not found"),
		until("images", list.Recv, func(image *machineapi.ImageListResponse) (bool, error) { return image.GetName() == installer, nil }),
		p.imageService(ctx),
	)
}

func (p *play) meta(ctx context.Context) error {
	if err := all(p.admin.MetaWrite(ctx, 12, []byte("kept")), p.admin.MetaDelete(ctx, 12)); err != nil {
		return err
	}
	return refused("a value that is gone", p.admin.MetaDelete(client.WithNode(ctx, p.Machines[0].Address), 12), codes.NotFound, "meta key not found")
}

// captures begin with the head of a file, and go on until the client has enough.
func (p *play) captures(ctx context.Context) error {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	filter := []*machineapi.BPFInstruction{{Op: 6, Jt: 1, Jf: 1, K: 262144}}
	packets, err := p.admin.PacketCapture(short, &machineapi.PacketCaptureRequest{Interface: "eth0", Promiscuous: true, SnapLen: 96, BpfFilter: filter})
	if err != nil {
		return err
	}
	head := make([]byte, 24)
	if _, err := io.ReadFull(packets, head); err != nil {
		return err
	}
	none, err := p.admin.PacketCapture(ctx, &machineapi.PacketCaptureRequest{Interface: "unicorn0"})
	if err == nil {
		_, err = io.ReadAll(none)
	}
	return all(
		expect("the length of packets", int(head[16]), 96),
		refused("packets of nothing", err, codes.NotFound, `interface "unicorn0" not found`),
	)
}

// newConfig is a talosconfig that the node itself has signed: with it one may read.
func (p *play) newConfig(ctx context.Context) error {
	request := &machineapi.GenerateClientConfigurationRequest{Roles: []string{"os:reader"}, CrtTtl: durationpb.New(time.Hour)}
	made, err := p.admin.GenerateClientConfiguration(client.WithNodes(ctx, p.Machines[0].Address), request)
	if err != nil {
		return err
	}
	_, never := p.admin.GenerateClientConfiguration(ctx, &machineapi.GenerateClientConfigurationRequest{Roles: []string{"os:reader"}})
	config, err := clientconfig.FromBytes(made.GetMessages()[0].GetTalosconfig())
	if err != nil {
		return err
	}
	reader, err := client.New(ctx, client.WithConfig(config), client.WithEndpoints(p.Machines[0].Address))
	if err != nil {
		return err
	}
	defer reader.Close() //nolint:errcheck
	_, version := reader.Version(ctx)
	return all(
		version,
		expect("its name", config.Context, "reader@"+p.Cluster),
		refused("a certificate for no time", never, codes.InvalidArgument, "crt_ttl should be positive"),
		refused("a reboot by a reader", reader.Reboot(ctx), codes.PermissionDenied, "not authorized"),
	)
}

func (p *play) graph(ctx context.Context) error {
	edges, err := p.admin.Inspect.ControllerRuntimeDependencies(client.WithNode(ctx, p.Machines[0].Address))
	if err != nil {
		return err
	}
	return expect("who writes what", len(edges.GetMessages()[0].GetEdges()) > 30, true)
}
