package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	stdx509 "crypto/x509"
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"regexp"
	"strings"

	"github.com/siderolabs/crypto/x509"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
)

// sameKind compares everything about two bundles that is not chance: ours, and the one Talos makes for the same contract.
func sameKind(ours, theirs *secrets.Bundle) error {
	is, err := describe(ours)
	if err != nil {
		return fmt.Errorf("ours: %w", err)
	}
	want, err := describe(theirs)
	if err != nil {
		return fmt.Errorf("theirs: %w", err)
	}
	if is != want {
		return fmt.Errorf("the bundle is of another kind than Talos's own\nours:\n%s\ntheirs:\n%s", is, want)
	}
	return nil
}

var (
	lower = regexp.MustCompile(`[a-z]`)
	digit = regexp.MustCompile(`[0-9]`)
)

// form keeps what a token looks like and drops what it is.
func form(token string) string {
	return digit.ReplaceAllString(lower.ReplaceAllString(token, "x"), "x")
}

func describe(bundle *secrets.Bundle) (string, error) {
	lines := []string{
		fmt.Sprintf("cluster id of %d characters, secret of %d", len(bundle.Cluster.ID), len(bundle.Cluster.Secret)),
		fmt.Sprintf("bootstrap token %s", form(bundle.Secrets.BootstrapToken)),
		fmt.Sprintf("trustd token %s", form(bundle.TrustdInfo.Token)),
		fmt.Sprintf("aescbc of %d, secretbox of %d", len(bundle.Secrets.AESCBCEncryptionSecret), len(bundle.Secrets.SecretboxEncryptionSecret)),
	}
	for _, authority := range []struct {
		name string
		ca   *x509.PEMEncodedCertificateAndKey
	}{
		{"etcd", bundle.Certs.Etcd},
		{"k8s", bundle.Certs.K8s},
		{"k8saggregator", bundle.Certs.K8sAggregator},
		{"os", bundle.Certs.OS},
	} {
		certificate, err := authority.ca.GetCert()
		if err != nil {
			return "", err
		}
		key, err := describeKey(authority.ca.Key)
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("%s: %s; %s", authority.name, describeCertificate(certificate), key))
	}
	key, err := describeKey(bundle.Certs.K8sServiceAccount.Key)
	if err != nil {
		return "", err
	}
	return strings.Join(append(lines, "service account: "+key), "\n"), nil
}

func describeCertificate(c *stdx509.Certificate) string {
	var extensions []string
	for _, extension := range c.Extensions {
		name := extension.Id.String()
		if extension.Critical {
			name += "!"
		}
		extensions = append(extensions, name)
	}
	return fmt.Sprintf(
		"v%d %s %s subject %q issuer %q for %s, ca %t path %d, usage %b %v, key id of %d, authority id of %d, extensions %s",
		c.Version, c.SignatureAlgorithm, c.PublicKeyAlgorithm, c.Subject, c.Issuer, c.NotAfter.Sub(c.NotBefore),
		c.IsCA, c.MaxPathLen, c.KeyUsage, c.ExtKeyUsage, len(c.SubjectKeyId), len(c.AuthorityKeyId), strings.Join(extensions, " "),
	)
}

// describeKey names the label of the PEM block beside what is in it: Talos chooses its reader by the label.
func describeKey(text []byte) (string, error) {
	block, rest := pem.Decode(text)
	if block == nil || len(rest) > 0 {
		return "", fmt.Errorf("a key is not exactly one PEM block")
	}
	if _, err := (&x509.PEMEncodedKey{Key: text}).GetKey(); err != nil {
		return "", err
	}
	key, err := parse(block)
	if err != nil {
		return "", err
	}
	switch key := key.(type) {
	case ed25519.PrivateKey:
		return fmt.Sprintf("%s: ed25519 %s", block.Type, shape(block.Bytes)), nil
	case *ecdsa.PrivateKey:
		return fmt.Sprintf("%s: %s %s", block.Type, key.Curve.Params().Name, shape(block.Bytes)), nil
	case *rsa.PrivateKey:
		return fmt.Sprintf("%s: rsa %d, exponent %d", block.Type, key.N.BitLen(), key.E), nil
	default:
		return "", fmt.Errorf("unknown type of key %T", key)
	}
}

func parse(block *pem.Block) (any, error) {
	switch block.Type {
	case "EC PRIVATE KEY":
		return stdx509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		return stdx509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		return stdx509.ParsePKCS8PrivateKey(block.Bytes)
	}
}

// shape lists the fields of an ASN.1 sequence: SEC1 leaves some of them to whoever writes the key.
func shape(der []byte) string {
	var sequence asn1.RawValue
	if _, err := asn1.Unmarshal(der, &sequence); err != nil {
		return err.Error()
	}
	var tags []string
	for rest := sequence.Bytes; len(rest) > 0; {
		var field asn1.RawValue
		after, err := asn1.Unmarshal(rest, &field)
		if err != nil {
			return err.Error()
		}
		tags = append(tags, fmt.Sprintf("%d/%d", field.Class, field.Tag))
		rest = after
	}
	return strings.Join(tags, " ")
}
