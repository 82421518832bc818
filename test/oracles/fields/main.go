// Says which documents this Talos knows and what may stand in them, as its own types have it: the judge of our table of fields.
package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	_ "unsafe" // The list of kinds is internal to the machinery; the linker hands it out.

	"github.com/siderolabs/talos/pkg/machinery/config/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"go.yaml.in/yaml/v4"
)

// registry has the layout of the machinery's own.
type registry struct {
	_          sync.Mutex
	registered map[string]func(version string) config.Document
}

//go:linkname registered github.com/siderolabs/talos/pkg/machinery/config/internal/registry.registry
var registered *registry

// The loader registers all kinds.
var _ = configloader.NewFromBytes

// shape is what may stand in one place, and what the merge of patches has to know about it.
type shape struct {
	Is string `json:"is"`
	// Go is the name of a type that has its own way of being read.
	Go string `json:"go,omitempty"`
	// Pointer: absent can be told from empty.
	Pointer bool `json:"pointer,omitempty"`
	// Replace is the machinery's own tag.
	Replace bool `json:"replace,omitempty"`
	// Merger: the type merges itself.
	Merger bool `json:"merger,omitempty"`
	// Reader: the type reads itself.
	Reader bool `json:"reader,omitempty"`
	// Words are all that a type of few words can say; the first one is its zero, "" when it has none.
	Words []string         `json:"words,omitempty"`
	Of    *shape           `json:"of,omitempty"`
	Keys  map[string]shape `json:"keys,omitempty"`
	// Order is how the keys stand in the type.
	Order []string `json:"order,omitempty"`
}

type kind struct {
	Named bool  `json:"named"`
	Shape shape `json:"shape"`
}

type merger interface{ Merge(other any) error }

var (
	mergerType   = reflect.TypeFor[merger]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
	yamlType     = reflect.TypeFor[yaml.Unmarshaler]()
	durationName = "time.Duration"
)

type oldReader interface {
	UnmarshalYAML(unmarshal func(any) error) error
}

var oldReaderType = reflect.TypeFor[oldReader]()

func main() {
	kinds := map[string]kind{}
	for name, create := range registered.registered {
		document := create("v1alpha1")
		if document == nil {
			document = create("")
		}
		_, named := document.(config.NamedDocument)
		kinds[name] = kind{Named: named, Shape: shapeOf(reflect.TypeOf(document).Elem(), nil)}
	}
	if err := json.NewEncoder(os.Stdout).Encode(kinds); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func shapeOf(of reflect.Type, above []reflect.Type) shape {
	result := shape{}
	if of.Kind() == reflect.Pointer {
		result.Pointer = true
		of = of.Elem()
	}
	to := reflect.PointerTo(of)
	result.Merger = to.Implements(mergerType)
	result.Reader = to.Implements(textType) || to.Implements(yamlType) || to.Implements(oldReaderType)
	if of.String() == durationName {
		result.Is, result.Go = "text", durationName
		return result
	}
	if result.Reader {
		result.Go = of.String()
	}
	if result.Reader && of.Kind() != reflect.Slice {
		result.Is, result.Words = "text", wordsOf(of)
		return result
	}
	switch of.Kind() {
	case reflect.String:
		result.Is = "text"
	case reflect.Bool:
		result.Is = "bool"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		result.Is, result.Go = "number", of.Kind().String()
	case reflect.Interface:
		result.Is = "free"
	case reflect.Slice, reflect.Array:
		result.Is = "list"
		if of.Elem().Kind() == reflect.Uint8 {
			result.Is, result.Go = "text", of.String()
			break
		}
		element := shapeOf(of.Elem(), above)
		result.Of = &element
	case reflect.Map:
		result.Is = "map"
		element := shapeOf(of.Elem(), above)
		result.Of = &element
	case reflect.Struct:
		result.Is, result.Go = "object", of.String()
		result.Keys = map[string]shape{}
		for _, other := range above {
			if other == of {
				result.Go = "recursive " + of.String()
				return result
			}
		}
		addKeys(&result, of, append(above, of))
	default:
		result.Is = "unknown " + of.String()
	}
	return result
}

// wordsOf asks a type that is a number at heart for the word of every number it may be.
func wordsOf(of reflect.Type) []string {
	value := reflect.New(of)
	reader, reads := value.Interface().(encoding.TextUnmarshaler)
	word, speaks := value.Interface().(fmt.Stringer)
	if !reads || !speaks || (!value.Elem().CanInt() && !value.Elem().CanUint()) {
		return nil
	}
	words := []string{""}
	for number := range 1 << 16 {
		if value.Elem().CanInt() {
			value.Elem().SetInt(int64(number))
		} else {
			value.Elem().SetUint(uint64(number))
		}
		said := word.String()
		if reader.UnmarshalText([]byte(said)) != nil {
			continue
		}
		if number == 0 {
			words = words[:0]
		}
		if !slices.Contains(words, said) {
			words = append(words, said)
		}
	}
	return words
}

func addKeys(to *shape, of reflect.Type, above []reflect.Type) {
	for i := range of.NumField() {
		field := of.Field(i)
		tag, tagged := field.Tag.Lookup("yaml")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case name == "-" || (!tagged && !field.IsExported()):
		case strings.Contains(options, "inline") && field.Type.Kind() == reflect.Map:
			free := shapeOf(field.Type.Elem(), above)
			to.Is, to.Of = "map", &free
		case strings.Contains(options, "inline"):
			addKeys(to, field.Type, above)
		default:
			if name == "" {
				name = "UNTAGGED " + field.Name
			}
			one := shapeOf(field.Type, above)
			one.Replace = strings.Contains(field.Tag.Get("merge"), "replace")
			to.Keys[name] = one
			to.Order = append(to.Order, name)
		}
	}
}
