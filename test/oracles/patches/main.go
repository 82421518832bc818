// Asks Talos's own code about patches and whole configs that we have an opinion of: what we refuse it must refuse, or warn about.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/encoder"
	"github.com/siderolabs/talos/pkg/machinery/config/validation"
)

// question is one line of the file we are given.
type question struct {
	Name string `json:"name"`
	// Text is read as a node reads a config.
	Text string `json:"text"`
	// Patch, when set, is laid over the text, and the result validated.
	Patch *string `json:"patch"`
	// Validate asks for that without a patch.
	Validate bool `json:"validate"`
	// Metal machines are installed by their config.
	Metal bool `json:"metal"`
}

// answer is what Talos says: nothing when it is content.
type answer struct {
	Name    string   `json:"name"`
	Refused string   `json:"refused,omitempty"`
	Warned  []string `json:"warned,omitempty"`
}

// mode is what validation asks about a machine.
type mode struct{ metal bool }

func (m mode) String() string {
	if m.metal {
		return "metal"
	}
	return "cloud"
}
func (m mode) RequiresInstall() bool { return m.metal }
func (m mode) InContainer() bool     { return false }

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: %s FILE", os.Args[0]))
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fail(err)
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var one question
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			fail(err)
		}
		if err := answers.Encode(one.ask()); err != nil {
			fail(err)
		}
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (q question) ask() (said answer) {
	said.Name = q.Name
	defer func() {
		if reason := recover(); reason != nil {
			said.Refused = fmt.Sprintf("panic: %v", reason)
		}
	}()
	warned, err := q.judge()
	said.Warned = warned
	if err != nil {
		said.Refused = err.Error()
	}
	return said
}

func (q question) judge() ([]string, error) {
	loaded, err := configloader.NewFromBytes([]byte(q.Text))
	if err != nil {
		return nil, err
	}
	if q.Patch != nil {
		if loaded, err = patched(loaded, []byte(*q.Patch)); err != nil {
			return nil, err
		}
	}
	if q.Patch == nil && !q.Validate {
		return nil, nil
	}
	return loaded.Validate(mode{q.Metal}, validation.WithLocal())
}

// patched is read again, as a node would.
func patched(base config.Provider, patch []byte) (config.Provider, error) {
	right, err := configpatcher.LoadPatch(patch)
	if err != nil {
		return nil, err
	}
	out, err := configpatcher.Apply(configpatcher.WithConfig(base), []configpatcher.Patch{right})
	if err != nil {
		return nil, err
	}
	result, err := out.Config()
	if err != nil {
		return nil, err
	}
	text, err := result.EncodeBytes(encoder.WithComments(encoder.CommentsDisabled))
	if err != nil {
		return nil, err
	}
	return configloader.NewFromBytes(text)
}
