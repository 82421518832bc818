package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"go.yaml.in/yaml/v4"
)

// schema is every type behind some kinds of documents.
type schema struct {
	// Kinds says which type a kind is; "v1alpha1" is the one without a kind.
	Kinds map[string]string `json:"kinds"`
	Types map[string]*shape `json:"types"`
}

// shape is one type: a struct has keys, any other one an underlying type.
type shape struct {
	Keys   [][2]string `json:"keys,omitempty"`
	Of     string      `json:"of,omitempty"`
	Custom string      `json:"custom,omitempty"`
}

type oldUnmarshaler interface {
	UnmarshalYAML(unmarshal func(any) error) error
}

type textUnmarshaler interface{ UnmarshalText(text []byte) error }

func schemaOf(kinds []string) (*schema, error) {
	found := &schema{Kinds: map[string]string{}, Types: map[string]*shape{}}
	for _, kind := range kinds {
		text := fmt.Sprintf("apiVersion: v1alpha1\nkind: %s\n", kind)
		if kind == "v1alpha1" {
			text = "version: v1alpha1\nmachine: {}\n"
		}
		provider, err := configloader.NewFromBytes([]byte(text))
		if err != nil {
			// Two links of one document must have names of their own.
			provider, err = configloader.NewFromBytes([]byte(text + "name: a\npeer:\n  name: b\n"))
		}
		if err != nil {
			continue
		}
		for _, document := range provider.Documents() {
			found.Kinds[kind] = found.name(reflect.TypeOf(document))
		}
	}
	return found, nil
}

func (s *schema) name(typ reflect.Type) string {
	if typ.Kind() == reflect.Pointer {
		return "*" + s.name(typ.Elem())
	}
	if typ.Name() == "" {
		switch typ.Kind() {
		case reflect.Slice:
			return "[]" + s.name(typ.Elem())
		case reflect.Map:
			return "map[" + typ.Key().String() + "]" + s.name(typ.Elem())
		default:
			return typ.String()
		}
	}
	name := typ.String()
	if typ.PkgPath() == "" {
		return name
	}
	if _, known := s.Types[name]; !known {
		s.Types[name] = nil
		s.Types[name] = s.shape(typ)
	}
	return name
}

func (s *schema) shape(typ reflect.Type) *shape {
	result := &shape{}
	pointer := reflect.PointerTo(typ)
	switch {
	case pointer.Implements(reflect.TypeFor[yaml.Unmarshaler]()):
		result.Custom = "yaml"
	case pointer.Implements(reflect.TypeFor[oldUnmarshaler]()):
		result.Custom = "yaml"
	case pointer.Implements(reflect.TypeFor[textUnmarshaler]()):
		result.Custom = "text"
	}
	if typ.Kind() != reflect.Struct {
		result.Of = typ.Kind().String()
		switch typ.Kind() {
		case reflect.Slice:
			result.Of = "[]" + s.name(typ.Elem())
		case reflect.Map:
			result.Of = "map[" + typ.Key().String() + "]" + s.name(typ.Elem())
		}
		return result
	}
	for _, field := range reflect.VisibleFields(typ) {
		if !field.IsExported() || len(field.Index) > 1 && !inlined(typ, field) {
			continue
		}
		tag, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if tag == "-" {
			continue
		}
		if strings.Contains(options, "inline") {
			if field.Type.Kind() == reflect.Map {
				result.Of = "map[" + field.Type.Key().String() + "]" + s.name(field.Type.Elem())
			}
			continue
		}
		if tag == "" {
			if field.Anonymous {
				continue
			}
			tag = strings.ToLower(field.Name)
		}
		result.Keys = append(result.Keys, [2]string{tag, s.name(field.Type)})
	}
	return result
}

// inlined is whether all the structs a field lies in are part of the one they are in.
func inlined(typ reflect.Type, field reflect.StructField) bool {
	outer := typ.FieldByIndex(field.Index[:len(field.Index)-1])
	return strings.Contains(outer.Tag.Get("yaml"), "inline")
}
