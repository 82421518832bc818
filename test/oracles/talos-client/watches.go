package main

import (
	"context"
	"fmt"
	"time"

	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/state"

	"github.com/siderolabs/talos/pkg/machinery/resources/block"
	"github.com/siderolabs/talos/pkg/machinery/resources/cluster"
	"github.com/siderolabs/talos/pkg/machinery/resources/config"
	"github.com/siderolabs/talos/pkg/machinery/resources/network"
	"github.com/siderolabs/talos/pkg/machinery/resources/runtime"
	"github.com/siderolabs/talos/pkg/machinery/resources/v1alpha1"
)

func kind(namespace resource.Namespace, kind resource.Type) resource.Metadata {
	return resource.NewMetadata(namespace, kind, "", resource.VersionUndefined)
}

// watches every way there is to watch.
func (p *play) watches(ctx context.Context) error {
	for _, one := range []resource.Metadata{
		kind(cluster.NamespaceName, cluster.MemberType), kind(runtime.NamespaceName, runtime.MachineStatusType),
		kind(network.NamespaceName, network.NodeAddressType), kind(config.NamespaceName, config.MachineConfigType),
	} {
		if err := p.watchesKind(ctx, one); err != nil {
			return fmt.Errorf("%s: %w", one.Type(), err)
		}
	}
	return all(p.tombstone(ctx), p.queries(ctx), p.past(ctx))
}

// watchesKind compares what a watch begins with with the list, once event by event and once all together.
func (p *play) watchesKind(ctx context.Context, of resource.Metadata) error {
	list, err := p.admin.COSI.List(ctx, of)
	if err != nil {
		return err
	}
	watching, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	// As talosctl does: the mark at the end is a resource with nothing in it, which is no config.
	raw := state.WithWatchKindUnmarshalOptions(state.WithSkipProtobufUnmarshal())
	single := make(chan state.Event)
	if err := p.admin.COSI.WatchKind(watching, of, single, raw, state.WithBootstrapContents(true)); err != nil {
		return err
	}
	for _, item := range list.Items {
		event := <-single
		if err := all(expect("the event", event.Type, state.Created), expect("the id", event.Resource.Metadata().ID(), item.Metadata().ID()),
			expect("the version", event.Resource.Metadata().Version().String(), item.Metadata().Version().String())); err != nil {
			return err
		}
	}
	end := <-single
	if err := expect("after what was there", end.Type, state.Bootstrapped); err != nil {
		return err
	}
	together := make(chan []state.Event)
	if err := p.admin.COSI.WatchKindAggregated(watching, of, together, raw, state.WithBootstrapContents(true)); err != nil {
		return err
	}
	return expect("events in one", len(<-together), len(list.Items)+1)
}

// tombstone is what a watch begins with for something that is not there; then it comes, changes and goes.
func (p *play) tombstone(ctx context.Context) error {
	watching, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	nothing := make(chan state.Event)
	if err := p.admin.COSI.Watch(watching, resource.NewMetadata(v1alpha1.NamespaceName, v1alpha1.ServiceType, "unicorn", resource.VersionUndefined), nothing); err != nil {
		return err
	}
	gone := <-nothing
	if err := all(expect("the event for nothing", gone.Type, state.Destroyed), expect("it is a tombstone", gone.Resource.Metadata().ID(), "unicorn")); err != nil {
		return err
	}
	kubelet := make(chan state.Event)
	if err := p.admin.COSI.Watch(watching, resource.NewMetadata(v1alpha1.NamespaceName, v1alpha1.ServiceType, "kubelet", resource.VersionUndefined), kubelet); err != nil {
		return err
	}
	if err := expect("the kubelet is there", (<-kubelet).Type, state.Created); err != nil {
		return err
	}
	if _, err := p.admin.ServiceRestart(ctx, "kubelet"); err != nil {
		return err
	}
	return all(expect("the kubelet stops", (<-kubelet).Type, state.Destroyed), expect("the kubelet starts", (<-kubelet).Type, state.Created))
}

// queries ask for some of a kind, by their ids or labels.
func (p *play) queries(ctx context.Context) error {
	volumes := kind(block.NamespaceName, block.VolumeStatusType)
	count := func(options ...state.ListOption) int {
		list, err := p.admin.COSI.List(ctx, volumes, options...)
		if err != nil {
			return -1
		}
		return len(list.Items)
	}
	system := "talos.dev/system-volume"
	watching, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	some := make(chan []state.Event)
	if err := p.admin.COSI.WatchKindAggregated(watching, volumes, some, state.WithBootstrapContents(true),
		state.WatchWithLabelQuery(resource.LabelExists(system)), state.WatchWithIDQuery(resource.IDRegexpMatch(ephemeral))); err != nil {
		return err
	}
	return all(
		expect("one that is watched, and the mark", len(<-some), 2),
		expect("system volumes", count(state.WithLabelQuery(resource.LabelExists(system))), count()),
		expect("no system volumes", count(state.WithLabelQuery(resource.LabelExists(system, resource.NotMatches))), 0),
		expect("volumes with an empty label", count(state.WithLabelQuery(resource.LabelEqual(system, ""))), count()),
		expect("volumes with one of two labels", count(state.WithLabelQuery(resource.LabelIn(system, []string{"a", "b"}))), 0),
		expect("volumes called so", count(state.WithIDQuery(resource.IDRegexpMatch(ephemeral))), 1),
	)
}

// past events are told again: the last ones, or those after a bookmark.
func (p *play) past(ctx context.Context) error {
	services := kind(v1alpha1.NamespaceName, v1alpha1.ServiceType)
	watching, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	tail := make(chan state.Event)
	if err := p.admin.COSI.WatchKind(watching, services, tail, state.WithKindTailEvents(2)); err != nil {
		return err
	}
	first, second := <-tail, <-tail
	from := make(chan state.Event)
	if err := p.admin.COSI.WatchKind(watching, services, from, state.WithKindStartFromBookmark(first.Bookmark)); err != nil {
		return err
	}
	begin := make(chan state.Event)
	if err := p.admin.COSI.WatchKind(watching, services, begin, state.WithBootstrapBookmark(true)); err != nil {
		return err
	}
	mark := <-begin
	wrong := p.admin.COSI.WatchKind(watching, services, make(chan state.Event), state.WithKindStartFromBookmark([]byte("unicorn")))
	return all(
		expect("the event after a bookmark", (<-from).Resource.Metadata().String(), second.Resource.Metadata().String()),
		expect("a bookmark to begin with", mark.Type, state.Noop),
		expect("the bookmark has a place", len(mark.Bookmark), 16),
		expect("a bookmark that is none", state.IsInvalidWatchBookmarkError(wrong), true),
	)
}
