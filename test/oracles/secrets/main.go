package main

import (
	"fmt"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
)

func main() {
	b, err := secrets.LoadBundle("/dev/null")
	fmt.Println(b, err)
	in, err := generate.NewInput("a", "https://1.2.3.4:6443", "1.34.0", generate.WithSecretsBundle(b), generate.WithVersionContract(config.TalosVersion1_12))
	_, err = in.Config(machine.TypeControlPlane)
}
