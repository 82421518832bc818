// Stands in for flannel's network plugin, which the module proxy does not have: gives a pod an address of the node's subnet, which flanneld has written down,
// by way of the bridge plugin.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"github.com/containernetworking/cni/pkg/invoke"
	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/version"
)

// Written by flanneld when it has got a subnet for this node.
const subnetFile = "/run/flannel/subnet.env"

type object = map[string]any

type input struct {
	types.NetConf
	Delegate object `json:"delegate"`
}

func main() {
	skel.PluginMainFuncs(skel.CNIFuncs{Add: add, Check: check, Del: del, Status: status}, version.All, "flannel's stand-in")
}

func add(args *skel.CmdArgs) error {
	config, cniVersion, err := bridgeConfig(args.StdinData)
	if err != nil {
		return err
	}
	result, err := invoke.DelegateAdd(context.Background(), "bridge", config, nil)
	if err != nil {
		return err
	}
	return types.PrintResult(result, cniVersion)
}

func check(args *skel.CmdArgs) error {
	config, _, err := bridgeConfig(args.StdinData)
	if err != nil {
		return err
	}
	return invoke.DelegateCheck(context.Background(), "bridge", config, nil)
}

func del(args *skel.CmdArgs) error {
	config, _, err := bridgeConfig(args.StdinData)
	if err != nil {
		return err
	}
	return invoke.DelegateDel(context.Background(), "bridge", config, nil)
}

func status(*skel.CmdArgs) error {
	_, err := readSubnet()
	return err
}

// What the bridge plugin is asked for: the list's own wishes, and flanneld's subnet.
func bridgeConfig(data []byte) ([]byte, string, error) {
	var given input
	if err := json.Unmarshal(data, &given); err != nil {
		return nil, "", fmt.Errorf("the network's configuration: %w", err)
	}
	subnet, err := readSubnet()
	if err != nil {
		return nil, "", err
	}
	// With the node's own address in it: "10.244.0.1/24".
	addresses, err := netip.ParsePrefix(subnet["FLANNEL_SUBNET"])
	if err != nil {
		return nil, "", fmt.Errorf("FLANNEL_SUBNET in %s: %w", subnetFile, err)
	}
	mtu, err := strconv.Atoi(subnet["FLANNEL_MTU"])
	if err != nil {
		return nil, "", fmt.Errorf("FLANNEL_MTU in %s: %w", subnetFile, err)
	}
	config := object{
		"type":       "bridge",
		"name":       given.Name,
		"cniVersion": given.CNIVersion,
		"isGateway":  true,
		"mtu":        mtu,
		// One of both does it.
		"ipMasq": subnet["FLANNEL_IPMASQ"] != "true",
		"ipam": object{
			"type":   "host-local",
			"ranges": [][]object{{{"subnet": addresses.Masked().String()}}},
			"routes": []object{{"dst": subnet["FLANNEL_NETWORK"]}},
		},
	}
	if given.RawPrevResult != nil {
		config["prevResult"] = given.RawPrevResult
	}
	for name, value := range given.Delegate {
		config[name] = value
	}
	text, err := json.Marshal(config)
	return text, given.CNIVersion, err
}

func readSubnet() (map[string]string, error) {
	file, err := os.Open(subnetFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			found[name] = value
		}
	}
	return found, lines.Err()
}
