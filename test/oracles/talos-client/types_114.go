//go:build talos114

package main

import (
	_ "github.com/siderolabs/talos/pkg/machinery/resources/block"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/cluster"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/config"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/containers"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/cri"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/etcd"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/files"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/hardware"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/k8s"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/kubeaccess"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/kubespan"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/network"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/perf"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/runtime"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/secrets"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/security"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/siderolink"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/storage"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/time"
	_ "github.com/siderolabs/talos/pkg/machinery/resources/v1alpha1"
)

// registered is how many types of resources Talos 1.14 has, with those of COSI itself.
const registered = 196
