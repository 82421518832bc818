// Asks Talos's own code about the machine configs we write: are they what Talos itself would generate from the same secrets, does
// it merge patches as we do, does it take the results?
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// cases is what our side has written, file names being relative to its folder.
type cases struct {
	Clusters []clusterCase `json:"clusters"`
	Nodes    []nodeCase    `json:"nodes"`
	Merges   []mergeCase   `json:"merges"`
	// Configurations are judged alone.
	Configurations []configurationCase `json:"configurations"`
}

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: %s FOLDER", os.Args[0]))
	}
	if err := run(os.Args[1]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// run judges every case, says all that is wrong and fails when anything is.
func run(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	if err != nil {
		return err
	}
	var all cases
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	wrong := 0
	judge := func(name string, err error) {
		if err != nil {
			wrong++
			fmt.Printf("%s: %v\n", name, err)
		}
	}
	for _, one := range all.Clusters {
		judge(one.Name, one.judge(folder))
	}
	for _, one := range all.Nodes {
		judge(one.Name, one.judge(folder))
	}
	for _, one := range all.Merges {
		judge(one.Name, one.judge())
	}
	for _, one := range all.Configurations {
		judge(one.Folder, one.judge(folder))
	}
	if wrong > 0 {
		return fmt.Errorf("%d wrong", wrong)
	}
	if len(all.Configurations) > 0 {
		fmt.Println(configurationCounts(folder, all.Configurations))
		return nil
	}
	deletions, refusals := all.special()
	fmt.Printf("%d base configs, %d node configs, %d merges (%d with deletions, %d refused)\n",
		2*len(all.Clusters), len(all.Nodes), len(all.Merges), deletions, refusals)
	return nil
}

// special counts the merges that do more than merge.
func (c cases) special() (deletions, refusals int) {
	for _, one := range c.Merges {
		if strings.Contains(one.Patch, "$patch") {
			deletions++
		}
		if one.Refused != "" {
			refusals++
		}
	}
	return deletions, refusals
}
