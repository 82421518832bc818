package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	cosi "github.com/cosi-project/runtime/api/v1alpha1"
	"github.com/cosi-project/runtime/pkg/resource"
	"github.com/cosi-project/runtime/pkg/resource/meta"
	"github.com/cosi-project/runtime/pkg/resource/protobuf"
	"github.com/cosi-project/runtime/pkg/safe"
	"github.com/cosi-project/runtime/pkg/state"
	"go.yaml.in/yaml/v4"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/siderolabs/talos/pkg/machinery/client"
	"github.com/siderolabs/talos/pkg/machinery/resources/config"
	"github.com/siderolabs/talos/pkg/machinery/resources/network"
)

// filled are types of which a running control plane must have something to show.
var filled = strings.Fields(`
	MachineStatuses.runtime.talos.dev Versions.runtime.talos.dev MachineTypes.config.talos.dev MachineConfigs.config.talos.dev
	Members.cluster.talos.dev Affiliates.cluster.talos.dev Identities.cluster.talos.dev Infos.cluster.talos.dev Services.v1alpha1.talos.dev
	Nodenames.kubernetes.talos.dev NodeIPs.kubernetes.talos.dev NodeStatuses.kubernetes.talos.dev StaticPodStatuses.kubernetes.talos.dev
	KubeletSpecs.kubernetes.talos.dev APIServerConfigs.kubernetes.talos.dev ControllerManagerConfigs.kubernetes.talos.dev
	SchedulerConfigs.kubernetes.talos.dev BootstrapManifestsConfigs.kubernetes.talos.dev Endpoints.kubernetes.talos.dev
	EtcdMembers.etcd.talos.dev NodeAddresses.net.talos.dev AddressStatuses.net.talos.dev LinkStatuses.net.talos.dev RouteStatuses.net.talos.dev
	HostnameStatuses.net.talos.dev NetworkStatuses.net.talos.dev ResolverStatuses.net.talos.dev TimeServerStatuses.net.talos.dev
	TimeStatuses.v1alpha1.talos.dev Disks.block.talos.dev SystemDisks.block.talos.dev DiscoveredVolumes.block.talos.dev
	VolumeStatuses.block.talos.dev ExtensionStatuses.runtime.talos.dev SystemInformations.hardware.talos.dev Processors.hardware.talos.dev
	MemoryModules.hardware.talos.dev MetaKeys.runtime.talos.dev SecurityStates.talos.dev PlatformMetadatas.talos.dev
	OSRootSecrets.secrets.talos.dev KubernetesRootSecrets.secrets.talos.dev
	ApiCertificates.secrets.talos.dev CertSANs.secrets.talos.dev DNSUpstreams.net.talos.dev EtcdSpecs.etcd.talos.dev
	HostDNSConfigs.net.talos.dev ImageCacheConfigs.cri.talos.dev KernelParamStatuses.runtime.talos.dev KubeletConfigs.kubernetes.talos.dev
	LinkSpecs.net.talos.dev Manifests.kubernetes.talos.dev MountStatuses.block.talos.dev NodeLabelSpecs.k8s.talos.dev
	StaticPods.kubernetes.talos.dev
	ResourceDefinitions.meta.cosi.dev Namespaces.meta.cosi.dev`)

// everyResource reads all types that there are: each must be the one that Talos defines, and everything of it must say the same in both
// of its encodings, as Talos's own types write them.
func (p *play) everyResource(ctx context.Context) error {
	if p.Minor >= 14 {
		filled = append(filled, "BootIDs.runtime.talos.dev")
	}
	definitions, err := safe.StateListAll[*meta.ResourceDefinition](ctx, p.admin.COSI)
	if err != nil {
		return err
	}
	if err := expect("types of resources", definitions.Len(), registered); err != nil {
		return err
	}
	problems := []string{}
	for definition := range definitions.All() {
		spec := definition.TypedSpec()
		if err := sameDefinition(*spec); err != nil {
			problems = append(problems, err.Error())
		}
		count := 0
		for _, machine := range []machine{p.Machines[0], p.Machines[1], p.worker()} {
			found, err := p.compare(client.WithNode(ctx, machine.Address), *spec)
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s of %s: %v", spec.Type, machine.Name, err))
			}
			count += found
		}
		if slices.Contains(filled, spec.Type) && count == 0 {
			problems = append(problems, "there is nothing of "+spec.Type)
		}
		if spec.Sensitivity == meta.Sensitive {
			_, err := p.reader.COSI.List(ctx, resource.NewMetadata(spec.DefaultNamespace, spec.Type, "", resource.VersionUndefined))
			if status.Code(err) != codes.PermissionDenied {
				problems = append(problems, fmt.Sprintf("whoever may only read is told of %s: %v", spec.Type, err))
			}
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s", strings.Join(problems, "\n"))
	}
	return nil
}

func sameDefinition(got meta.ResourceDefinitionSpec) error {
	checks++
	made, err := empty(got.Type)
	if err != nil {
		return fmt.Errorf("%s: %w", got.Type, err)
	}
	provider, ok := made.(meta.ResourceDefinitionProvider)
	if !ok {
		return fmt.Errorf("%s has no definition", got.Type)
	}
	want, err := meta.NewResourceDefinition(provider.ResourceDefinition())
	if err != nil {
		return err
	}
	if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", wired(*want.TypedSpec())); a != b {
		return fmt.Errorf("%s is\n  %s, not\n  %s", got.Type, a, b)
	}
	return nil
}

// empty is a resource of that type with nothing in it.
func empty(of resource.Type) (resource.Resource, error) {
	switch of {
	case config.MachineConfigType:
		return &config.MachineConfig{}, nil
	case network.DNSUpstreamType:
		// It never leaves a machine, so nobody can decode it.
		return &network.DNSUpstream{}, nil
	}
	metadata := &cosi.Metadata{Namespace: "none", Type: of, Id: "none", Version: "1", Phase: "running"}
	raw, err := protobuf.Unmarshal(&cosi.Resource{Metadata: metadata, Spec: &cosi.Spec{}})
	if err != nil {
		return nil, err
	}
	return protobuf.UnmarshalResource(raw)
}

// wired is a definition after its way over the wire, where one of its fields has no place.
func wired(spec meta.ResourceDefinitionSpec) meta.ResourceDefinitionSpec {
	spec.SkipAutomaticAliases = false
	return spec
}

func (p *play) compare(ctx context.Context, spec meta.ResourceDefinitionSpec) (count int, err error) {
	namespaces := []resource.Namespace{spec.DefaultNamespace}
	if spec.DefaultNamespace == "cluster" {
		namespaces = append(namespaces, "cluster-raw")
	}
	for _, namespace := range namespaces {
		metadata := resource.NewMetadata(namespace, spec.Type, "", resource.VersionUndefined)
		raw := state.WithListUnmarshalOptions(state.WithSkipProtobufUnmarshal())
		list, err := p.admin.COSI.List(ctx, metadata, raw)
		if err != nil {
			return count, err
		}
		for _, one := range list.Items {
			if err := sameTwice(one.(*protobuf.Resource)); err != nil {
				return count, fmt.Errorf("%s: %w", one.Metadata().ID(), err)
			}
			count++
			p.compared++
		}
	}
	return count, nil
}

// sameTwice decodes the bytes through the type's own code, lets that print YAML, and compares it with the YAML that came along.
func sameTwice(one *protobuf.Resource) error {
	checks++
	came, err := one.Marshal()
	if err != nil {
		return err
	}
	typed, err := protobuf.UnmarshalResource(one)
	if err != nil {
		return err
	}
	again, err := protobuf.FromResource(typed)
	if err != nil {
		return err
	}
	printed, err := again.Marshal()
	if err != nil {
		return err
	}
	var ours, theirs any
	if err := yaml.Unmarshal([]byte(came.GetSpec().GetYamlSpec()), &ours); err != nil {
		return err
	}
	if err := yaml.Unmarshal([]byte(printed.GetSpec().GetYamlSpec()), &theirs); err != nil {
		return err
	}
	// As in wired: a real node prints it, too.
	if fields, ok := ours.(map[string]any); ok {
		delete(fields, "skipAutomaticAliases")
	}
	if !reflect.DeepEqual(ours, theirs) {
		return fmt.Errorf("the YAML is\n%s\nand Talos prints\n%s", came.GetSpec().GetYamlSpec(), printed.GetSpec().GetYamlSpec())
	}
	return nil
}
