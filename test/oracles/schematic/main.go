// Which id would the image factory give a schematic? It prints the schematic with the YAML library used here and takes the
// SHA-256 of that. Reads one schematic in JSON per line, and answers each with a line: the id and the text, in JSON.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log"
	"os"

	"go.yaml.in/yaml/v4"
)

// The factory's fields, in its order.
type schematic struct {
	Overlay       overlay       `json:"overlay" yaml:"overlay,omitempty"`
	Customization customization `json:"customization" yaml:"customization"`
}

type overlay struct {
	Image string `json:"image" yaml:"image"`
	Name  string `json:"name" yaml:"name"`
}

type customization struct {
	KernelArgs []string   `json:"extraKernelArgs" yaml:"extraKernelArgs,omitempty"`
	Meta       []meta     `json:"meta" yaml:"meta,omitempty"`
	Extensions extensions `json:"systemExtensions" yaml:"systemExtensions,omitempty"`
	SecureBoot secureBoot `json:"secureboot" yaml:"secureboot,omitempty"`
}

type meta struct {
	Key   uint8  `json:"key" yaml:"key"`
	Value string `json:"value" yaml:"value"`
}

type extensions struct {
	Official []string `json:"officialExtensions" yaml:"officialExtensions,omitempty"`
}

type secureBoot struct {
	WellKnown bool `json:"includeWellKnownCertificates" yaml:"includeWellKnownCertificates,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)

	answers := bufio.NewWriter(os.Stdout)
	defer answers.Flush()

	for lines.Scan() {
		var asked schematic

		must(json.Unmarshal(lines.Bytes(), &asked))

		text, err := yaml.Marshal(&asked)
		must(err)

		id := sha256.Sum256(text)
		must(json.NewEncoder(answers).Encode([]string{hex.EncodeToString(id[:]), string(text)}))
	}

	must(lines.Err())
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
