package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/encoder"
)

// mergeCase is a config, a patch, and what we made of them, or why we refused.
type mergeCase struct {
	Name    string `json:"name"`
	Base    string `json:"base"`
	Patch   string `json:"patch"`
	Ours    string `json:"ours"`
	Refused string `json:"refused"`
}

func (m mergeCase) judge() error {
	theirs, err := merge([]byte(m.Base), []byte(m.Patch))
	switch {
	case err != nil && m.Refused != "":
		return nil
	case err != nil:
		return fmt.Errorf("Talos refuses (%w), we do not:\n%s", err, m.Ours)
	case m.Refused != "":
		text, err := canonical(theirs)
		return fmt.Errorf("we refuse (%s), Talos does not: %w\n%s", m.Refused, err, text)
	}
	ours, err := load([]byte(m.Ours))
	if err != nil {
		return fmt.Errorf("%w\n%s", err, m.Ours)
	}
	return same(ours, theirs)
}

// merge applies a patch as `talosctl gen config --config-patch` does.
func merge(base, patch []byte) (merged config.Provider, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	left, err := load(base)
	if err != nil {
		return nil, fmt.Errorf("base: %w", err)
	}
	right, err := configpatcher.LoadPatch(patch)
	if err != nil {
		return nil, err
	}
	out, err := configpatcher.Apply(configpatcher.WithConfig(left), []configpatcher.Patch{right})
	if err != nil {
		return nil, err
	}
	result, err := out.Config()
	if err != nil {
		return nil, err
	}
	// A patch can leave something behind that is no document; reading it again as a node would shows that.
	text, err := canonical(result)
	if err != nil {
		return nil, err
	}
	return load(text)
}

// load refuses what a node refuses to read: unknown keys, unknown kinds, documents that are there twice.
func load(text []byte) (config.Provider, error) {
	return configloader.NewFromBytes(text)
}

// canonical drops comments, order and whatever else is no matter of meaning.
func canonical(of config.Provider) ([]byte, error) {
	text, err := of.EncodeBytes(encoder.WithComments(encoder.CommentsDisabled))
	if err != nil {
		return nil, err
	}
	again, err := load(text)
	if err != nil {
		return nil, err
	}
	return again.Clone().EncodeBytes(encoder.WithComments(encoder.CommentsDisabled))
}

func same(ours, theirs config.Provider) error {
	is, err := canonical(ours)
	if err != nil {
		return err
	}
	want, err := canonical(theirs)
	if err != nil {
		return err
	}
	if bytes.Equal(is, want) {
		return nil
	}
	a, b := strings.Split(string(is), "\n"), strings.Split(string(want), "\n")
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return fmt.Errorf("line %d is\n  %.150s\nand should be\n  %.150s", i+1, a[i], b[i])
		}
	}
	return fmt.Errorf("%d lines instead of %d", len(a), len(b))
}
