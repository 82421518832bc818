package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	clusterapi "github.com/siderolabs/talos/pkg/machinery/api/cluster"
	"github.com/siderolabs/talos/pkg/machinery/client"
)

// healthLines are all that the server says about the cluster, and how it ends.
func (p *play) healthLines(ctx context.Context, wait time.Duration, info *clusterapi.ClusterInfo) (lines []string, err error) {
	stream, err := p.admin.ClusterHealthCheck(ctx, wait, info)
	if err != nil {
		return nil, err
	}
	for {
		progress, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		lines = append(lines, progress.GetMessage())
	}
}

func (p *play) health(ctx context.Context) error {
	addresses := []string{}
	info := &clusterapi.ClusterInfo{WorkerNodes: []string{p.worker().Address}}
	for _, m := range p.controlPlanes() {
		info.ControlPlaneNodes = append(info.ControlPlaneNodes, m.Address)
		addresses = append(addresses, `"`+m.Address+`"`)
	}
	addresses = append(addresses, `"`+p.worker().Address+`"`)
	lines, err := p.healthLines(ctx, time.Minute, nil)
	if err != nil {
		return err
	}
	if _, err := p.healthLines(ctx, time.Minute, info); err != nil {
		return err
	}
	want := []string{"discovered nodes: [" + strings.Join(addresses, " ") + "]"}
	for _, check := range []string{
		"etcd to be healthy", "etcd members to be consistent across nodes", "etcd members to be control plane nodes", "apid to be ready",
		"all nodes memory sizes", "all nodes disk sizes", "no diagnostics", "kubelet to be healthy", "all nodes to finish boot sequence",
		"all k8s nodes to report", "all control plane static pods to be running", "all control plane components to be ready",
		"all k8s nodes to report ready", "kube-proxy to report ready", "coredns to report ready", "all k8s nodes to report schedulable",
	} {
		want = append(want, "waiting for "+check+": ...", "waiting for "+check+": OK")
	}
	if err := expect("the health", strings.Join(lines, "\n"), strings.Join(want, "\n")); err != nil {
		return err
	}
	lost := &clusterapi.ClusterInfo{ControlPlaneNodes: []string{p.Machines[0].Address, p.Nobody}, ForceEndpoint: "https://" + p.Nobody + ":6443"}
	late, err := p.healthLines(ctx, 300*time.Millisecond, lost)
	if err := all(
		refused("a node that is not there", err, codes.DeadlineExceeded, "context deadline exceeded"),
		expect("what it waits for", late[len(late)-1], "waiting for etcd to be healthy: expected a response with 2 node(s), got 1"),
	); err != nil {
		return err
	}
	if p.Minor < 13 {
		return nil
	}
	_, err = p.healthLines(client.WithNode(ctx, p.worker().Address), time.Second, nil)
	return refused("the health on a worker", err, codes.Unimplemented, "cluster health check is only available on control plane nodes")
}
