// Asks Talos's own code about configs: what does a node of this minor say to them? The lab's machines must say the same, to the letter.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
)

// asked is one config that is brought to a node.
type asked struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Mode is "metal", "cloud" or "installed": metal that is on its disk already.
	Mode string `json:"mode"`
}

// answer is what the node says; all empty when it takes the config without a word.
type answer struct {
	Name     string   `json:"name"`
	Load     string   `json:"load"`
	Validate string   `json:"validate"`
	Runtime  string   `json:"runtime"`
	Warnings []string `json:"warnings"`
}

// With a file of configs: what Talos says to each. With "schema" and kinds: the types behind them.
func main() {
	var result any
	var err error
	switch {
	case len(os.Args) > 2 && os.Args[1] == "schema":
		result, err = schemaOf(os.Args[2:])
	case len(os.Args) == 2:
		result, err = judgeAll(os.Args[1])
	default:
		err = fmt.Errorf("usage: %s FILE | schema KIND...", os.Args[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func judgeAll(path string) ([]answer, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var cases []asked
	if err := json.Unmarshal(text, &cases); err != nil {
		return nil, err
	}
	answers := make([]answer, 0, len(cases))
	for _, one := range cases {
		answers = append(answers, judge(one))
	}
	sort.SliceStable(answers, func(i, j int) bool { return answers[i].Name < answers[j].Name })
	return answers, nil
}
