package main

import (
	"context"
	"fmt"

	"github.com/cosi-project/runtime/pkg/state"
	"github.com/cosi-project/runtime/pkg/state/impl/inmem"
	"github.com/cosi-project/runtime/pkg/state/impl/namespaced"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"github.com/siderolabs/talos/pkg/machinery/resources/block"
)

// mode is how a node asks for validation.
type mode string

func (m mode) String() string {
	if m == "installed" {
		return "metal"
	}
	return string(m)
}

func (m mode) RequiresInstall() bool { return m == "metal" }

func (m mode) InContainer() bool { return false }

func judge(one asked) answer {
	said := answer{Name: one.Name, Warnings: []string{}}
	provider, err := configloader.NewFromBytes([]byte(one.Text))
	if err != nil {
		said.Load = err.Error()
		return said
	}
	warnings, err := provider.Validate(mode(one.Mode))
	said.Warnings = append(said.Warnings, warnings...)
	if err != nil {
		said.Validate = err.Error()
	}
	st, err := node()
	if err != nil {
		said.Runtime = err.Error()
		return said
	}
	warnings, err = provider.RuntimeValidate(context.Background(), st, mode(one.Mode))
	said.Warnings = append(said.Warnings, warnings...)
	if err != nil {
		said.Runtime = err.Error()
	}
	return said
}

// node is the state of one with two disks, as the lab's machine of the same test has.
func node() (state.State, error) {
	st := state.WrapCore(namespaced.NewState(inmem.Build))
	for name, size := range map[string]uint64{"sda": 20 << 30, "sdb": 100 << 30} {
		disk := block.NewDisk(block.NamespaceName, name)
		spec := disk.TypedSpec()
		spec.DevPath = "/dev/" + name
		spec.Size = size
		spec.Model = "QEMU HARDDISK"
		spec.Serial = "serial-" + name
		spec.Transport = "virtio"
		spec.Rotational = true
		if err := st.Create(context.Background(), disk); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return st, nil
}
