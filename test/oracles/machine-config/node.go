package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/container"
	"github.com/siderolabs/talos/pkg/machinery/config/types/v1alpha1"
	"github.com/siderolabs/talos/pkg/machinery/config/validation"
)

// nodeCase is a base config, what a node is to be, the patch we made of that, and what we say the node is to be sent.
type nodeCase struct {
	Name  string    `json:"name"`
	Input nodeInput `json:"input"`
	Base  string    `json:"base"`
	Patch string    `json:"patch"`
	Full  string    `json:"full"`
}

// mode is what validation asks about a machine.
type mode struct {
	name     string
	installs bool
}

func (m mode) String() string        { return m.name }
func (m mode) RequiresInstall() bool { return m.installs }
func (m mode) InContainer() bool     { return false }

func (n nodeCase) judge(folder string) error {
	var texts [3][]byte
	for i, file := range []string{n.Base, n.Patch, n.Full} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return err
		}
		texts[i] = text
	}
	ours, err := load(texts[2])
	if err != nil {
		return err
	}
	merged, err := merge(texts[0], texts[1])
	if err != nil {
		return err
	}
	if err := same(ours, merged); err != nil {
		return fmt.Errorf("merged: %w", err)
	}
	built, err := n.Input.applied(texts[0])
	if err != nil {
		return err
	}
	if err := same(ours, built); err != nil {
		return fmt.Errorf("built: %w", err)
	}
	for _, m := range []mode{{"metal", true}, {"cloud", false}} {
		warnings, err := ours.Validate(m, validation.WithLocal(), validation.WithStrict())
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		if len(warnings) > 0 {
			return fmt.Errorf("%s: warnings %q", m, warnings)
		}
	}
	return nil
}

// applied makes the node's config without our patch: the original document is changed in place, documents of Talos's own types are
// laid over it.
func (n nodeInput) applied(base []byte) (made config.Provider, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("the case cannot be built: %v", reason)
		}
	}()
	left, err := load(base)
	if err != nil {
		return nil, err
	}
	changed, err := left.PatchV1Alpha1(func(original *v1alpha1.Config) error {
		n.changeOriginal(original)
		return nil
	})
	if err != nil {
		return nil, err
	}
	documents := append(n.networkDocuments(), n.Wireguard.documents(n.Network.MTU)...)
	documents = append(documents, n.splitDocuments()...)
	documents = append(documents, n.volumeDocuments()...)
	documents = append(documents, n.firewallDocuments()...)
	right, err := container.New(documents...)
	if err != nil {
		return nil, err
	}
	return configpatcher.StrategicMerge(changed, configpatcher.NewStrategicMergePatch(right))
}
