package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/siderolabs/talos/pkg/machinery/api/common"
	machineapi "github.com/siderolabs/talos/pkg/machinery/api/machine"
	"github.com/siderolabs/talos/pkg/machinery/client"
	"google.golang.org/protobuf/types/known/emptypb"
)

// born bootstraps the cluster and waits until the first control plane says that it runs.
func (p *play) born(ctx context.Context) error {
	if err := eventually(ctx, "Version", func(ctx context.Context) error {
		_, err := p.admin.Version(ctx)
		return err
	}); err != nil {
		return err
	}
	// Before there is an etcd, nobody knows how it is.
	if _, err := p.admin.ServiceList(ctx); err != nil {
		return err
	}
	if err := eventually(ctx, "Bootstrap", func(ctx context.Context) error {
		return p.admin.Bootstrap(ctx, &machineapi.BootstrapRequest{})
	}); err != nil {
		return err
	}
	again := p.admin.Bootstrap(ctx, &machineapi.BootstrapRequest{})
	if err := refused("a second bootstrap", again, codes.AlreadyExists, "etcd data directory is not empty"); err != nil {
		return err
	}
	return p.running(ctx)
}

func (p *play) facts(ctx context.Context) error {
	version, err := p.admin.Version(ctx)
	if err != nil {
		return err
	}
	v := version.GetMessages()[0]
	if err := all(
		expect("the version", v.GetVersion().GetTag(), p.Talos),
		expect("the system", v.GetVersion().GetOs(), "linux"),
		expect("the platform", v.GetPlatform().GetName(), "nocloud"),
		expect("the platform's mode", v.GetPlatform().GetMode(), "cloud"),
		expect("roles are looked at", v.GetFeatures().GetRbac(), true),
	); err != nil {
		return err
	}
	name, err := p.admin.MachineClient.Hostname(ctx, &emptypb.Empty{})
	if err != nil {
		return err
	}
	memory, err := p.admin.Memory(ctx)
	if err != nil {
		return err
	}
	now, err := p.admin.Time(ctx)
	if err != nil {
		return err
	}
	checked, err := p.admin.TimeCheck(ctx, "pool.ntp.org")
	if err != nil {
		return err
	}
	_, nobody := p.admin.TimeCheck(ctx, "")
	disks, err := p.admin.Disks(ctx)
	if err != nil {
		return err
	}
	system := 0
	for _, disk := range disks.GetMessages()[0].GetDisks() {
		if disk.GetSystemDisk() {
			system++
		}
	}
	skew := time.Since(now.GetMessages()[0].GetLocaltime().AsTime()).Abs()
	return all(
		expect("the hostname", name.GetMessages()[0].GetHostname(), p.Machines[0].Name),
		expect("there is memory", memory.GetMessages()[0].GetMeminfo().GetMemtotal() > 1<<20, true),
		expect("the time server", now.GetMessages()[0].GetServer(), "time.cloudflare.com"),
		expect("the time is right", skew < time.Minute, true),
		expect("the server that was asked for", checked.GetMessages()[0].GetServer(), "pool.ntp.org"),
		refused("the time of nobody", nobody, codes.InvalidArgument, "ntp server is required"),
		expect("system disks", system, 1),
	)
}

func (p *play) services(ctx context.Context) error {
	for _, id := range []string{"apid", "etcd", "kubelet", "machined", "trustd"} {
		found, err := p.admin.ServiceInfo(ctx, id)
		if err != nil {
			return err
		}
		if err := all(
			expect("services called "+id, len(found), 1),
			expect(id, found[0].Service.GetState(), "Running"),
			expect(id+" healthy", found[0].Service.GetHealth().GetHealthy(), true),
		); err != nil {
			return err
		}
	}
	restarted, err := p.admin.ServiceRestart(ctx, "kubelet")
	if err != nil {
		return err
	}
	_, no := p.admin.ServiceRestart(ctx, "apid")
	_, never := p.admin.ServiceRestart(ctx, "unicorn")
	if err := all(
		expect("what a restart says", restarted.GetMessages()[0].GetResp(), `Service "kubelet" restarted`),
		refused("a restart of apid", no, codes.Unknown, `service "apid" doesn't support restart operation via API`),
		refused("a restart of nothing", never, codes.Unknown, `service "unicorn" not defined`),
	); err != nil {
		return err
	}
	return eventually(ctx, "the kubelet comes back", func(ctx context.Context) error {
		found, err := p.admin.ServiceInfo(ctx, "kubelet")
		if err == nil && !found[0].Service.GetHealth().GetHealthy() {
			err = fmt.Errorf("it is %s", found[0].Service.GetState())
		}
		return err
	})
}

// files are what can be read as text: files, the kernel's log, logs of services, the kubeconfig.
func (p *play) files(ctx context.Context) error {
	id, err := text(p.admin.Read(ctx, "/proc/sys/kernel/random/boot_id"))
	if err != nil {
		return err
	}
	_, missing := text(p.admin.Read(ctx, "/nowhere"))
	_, folder := text(p.admin.Read(ctx, "/etc"))
	release, err := text(p.admin.Read(ctx, "/etc/os-release"))
	if err != nil {
		return err
	}
	kernel, err := streamText(p.admin.Dmesg(ctx, false, false))
	if err != nil {
		return err
	}
	logs, err := streamText(p.admin.Logs(ctx, "system", common.ContainerDriver_CONTAINERD, "etcd", false, -1))
	if err != nil {
		return err
	}
	one, err := streamText(p.admin.Logs(ctx, "system", common.ContainerDriver_CONTAINERD, "etcd", false, 1))
	if err != nil {
		return err
	}
	_, unknown := streamText(p.admin.Logs(ctx, "system", common.ContainerDriver_CONTAINERD, "unicorn", false, -1))
	_, pod := streamText(p.admin.Logs(ctx, "k8s.io", common.ContainerDriver_CRI, "unicorn", false, -1))
	kubeconfig, err := p.admin.Kubeconfig(ctx)
	if err != nil {
		return err
	}
	line, _, _ := strings.Cut(kernel, "\n")
	facility, rest, _ := strings.Cut(line, ": ")
	stamp, _, _ := strings.Cut(strings.TrimPrefix(rest, "warning: ["), "]")
	_, notATime := time.Parse(time.RFC3339Nano, stamp)
	if err := all(
		expect("the length of a boot id", len(strings.TrimSpace(id)), 36),
		refused("a file that is not there", missing, codes.NotFound, "stat /nowhere: no such file or directory"),
		refused("a folder", folder, codes.Unknown, "path must be a regular file"),
		expect("the release", strings.Contains(release, "VERSION_ID="+p.Talos), true),
		expect("the facility in "+line, facility, "user"),
		expect("the time in "+line, notATime, nil),
		expect("lines of etcd's log", strings.Count(logs, "\n") > 1, true),
		expect("lines at its end", strings.Count(one, "\n"), 1),
		refused("the log of nothing", unknown, codes.Unknown, `log "unicorn" was not registered`),
		refused("the log of no pod", pod, codes.Unknown, `container "unicorn" not found`),
		expect("the kubeconfig has a context", strings.Contains(string(kubeconfig), "current-context: admin@"), true),
	); err != nil {
		return err
	}
	return all(p.follows(ctx), p.lists(ctx))
}

// follows logs until a line comes that was not there before.
func (p *play) follows(ctx context.Context) error {
	following, cancel := context.WithCancel(ctx)
	defer cancel()
	kernel, err := p.admin.Dmesg(following, true, true)
	if err != nil {
		return err
	}
	logs, err := p.admin.Logs(following, "system", common.ContainerDriver_CONTAINERD, "kubelet", true, 0)
	if err != nil {
		return err
	}
	// The streams must stand before something happens; nothing says that they do.
	time.Sleep(300 * time.Millisecond)
	if _, err := p.admin.ServiceRestart(ctx, "kubelet"); err != nil {
		return err
	}
	said := func(data *common.Data) (bool, error) {
		return strings.Contains(string(data.GetBytes()), "Starting service"), nil
	}
	return all(until("the kernel's log", kernel.Recv, said), until("the kubelet's log", logs.Recv, said))
}

func (p *play) lists(ctx context.Context) error {
	stream, err := p.admin.LS(ctx, &machineapi.ListRequest{Root: "/etc", Recurse: true, RecursionDepth: 1})
	if err != nil {
		return err
	}
	return until("the files in /etc", stream.Recv, func(info *machineapi.FileInfo) (bool, error) {
		return info.GetRelativeName() == "os-release" && !info.GetIsDir() && info.GetSize() > 0, nil
	})
}

// events are told from the beginning, from an id, from a moment, and for one actor.
func (p *play) events(ctx context.Context) error {
	first := ""
	kinds := map[string]bool{}
	wanted := []string{"SequenceEvent", "PhaseEvent", "TaskEvent", "ServiceStateEvent", "MachineStatusEvent", "AddressEvent"}
	if err := p.hears(ctx, func(event client.Event) bool {
		if first == "" {
			first = event.ID
		}
		kinds[strings.TrimPrefix(event.TypeURL, "talos/runtime/machine.")] = true
		for _, kind := range wanted {
			if !kinds[kind] {
				return false
			}
		}
		return true
	}, client.WithTailEvents(-1)); err != nil {
		return fmt.Errorf("heard %v: %w", kinds, err)
	}
	second := ""
	next := func(event client.Event) bool { second = event.ID; return true }
	if err := p.hears(ctx, next, client.WithTailID(first)); err != nil {
		return err
	}
	if err := expect("the one after the first is another", second != first, true); err != nil {
		return err
	}
	return p.hears(ctx, next, client.WithTailDuration(24*time.Hour))
}

func (p *play) hears(ctx context.Context, enough func(client.Event) bool, options ...client.EventsOptionFunc) error {
	heard, err := p.listen(ctx, options...)
	if err != nil {
		return err
	}
	return heard(enough)
}

// listen begins to listen to a node's events, and gives back what waits for one of them: a node that is told to go down may be gone before anybody could ask it.
func (p *play) listen(ctx context.Context, options ...client.EventsOptionFunc) (func(enough func(client.Event) bool) error, error) {
	checks++
	listening, cancel := context.WithTimeout(ctx, 2*time.Minute)
	ch := make(chan client.EventResult, 1000)
	if err := p.admin.EventsWatchV2(listening, ch, options...); err != nil {
		cancel()
		return nil, err
	}
	return func(enough func(client.Event) bool) error {
		defer cancel()
		for {
			select {
			case <-listening.Done():
				return listening.Err()
			case result := <-ch:
				if result.Error != nil {
					return result.Error
				}
				if enough(result.Event) {
					return nil
				}
			}
		}
	}, nil
}
