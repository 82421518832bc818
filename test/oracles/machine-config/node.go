package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/siderolabs/talos/pkg/machinery/config/validation"
)

// nodeCase is a base config, a node's patch, and what we say the node is to be sent.
type nodeCase struct {
	Name  string `json:"name"`
	Base  string `json:"base"`
	Patch string `json:"patch"`
	Full  string `json:"full"`
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
	theirs, err := merge(texts[0], texts[1])
	if err != nil {
		return err
	}
	ours, err := load(texts[2])
	if err != nil {
		return err
	}
	if err := same(ours, theirs); err != nil {
		return err
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
