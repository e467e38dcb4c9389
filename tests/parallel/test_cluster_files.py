"""The files that start clusters have the form that Kubernetes' operator and Ray's launcher ask for."""

import json
from pathlib import Path

import pytest
import yaml
from jsonschema import ValidationError, validate

from paths import REPOSITORY

FOLDER = REPOSITORY / "examples" / "cluster"
QUANTITY = {"type": "string", "pattern": r"^[0-9]+(m|Ki|Mi|Gi|Ti)?$"}
NAME = {"type": "string", "pattern": r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"}
RESOURCES = {"type": "object", "properties": {"cpu": QUANTITY, "memory": QUANTITY}, "required": ["cpu", "memory"]}
CONTAINER = {
    "type": "object", "required": ["name", "image", "resources"],
    "properties": {
        "name": NAME, "image": {"type": "string"},
        "resources": {
            "type": "object", "required": ["limits", "requests"], "additionalProperties": False,
            "properties": {"limits": RESOURCES, "requests": RESOURCES},
        },
        "env": {
            "type": "array",
            "items": {"properties": {"name": {"type": "string"}, "value": {"type": "string"}}, "required": ["name"]},
        },
    },
}  # fmt: skip
TEMPLATE = {
    "type": "object", "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object", "required": ["containers"],
            "properties": {"containers": {"type": "array", "minItems": 1, "items": CONTAINER}},
        }
    },
}  # fmt: skip
PARAMETERS = {"type": "object", "additionalProperties": {"type": "string"}}  # all texts, numbers too
GROUP = {
    "type": "object", "required": ["groupName", "template"], "additionalProperties": False,
    "properties": {
        "groupName": NAME, "rayStartParams": PARAMETERS, "template": TEMPLATE,
        **{name: {"type": "integer", "minimum": 0} for name in ("replicas", "minReplicas", "maxReplicas")},
    },
}  # fmt: skip
RAY_CLUSTER = {
    "type": "object", "required": ["apiVersion", "kind", "metadata", "spec"], "additionalProperties": False,
    "properties": {
        "apiVersion": {"const": "ray.io/v1"}, "kind": {"const": "RayCluster"},
        "metadata": {"type": "object", "required": ["name"], "properties": {"name": NAME}},
        "spec": {
            "type": "object", "required": ["headGroupSpec"], "additionalProperties": False,
            "properties": {
                "rayVersion": {"type": "string"},
                "headGroupSpec": {
                    "type": "object", "required": ["template"], "additionalProperties": False,
                    "properties": {
                        "serviceType": {"enum": ["ClusterIP", "NodePort", "LoadBalancer"]},
                        "rayStartParams": PARAMETERS, "template": TEMPLATE,
                    },
                },
                "workerGroupSpecs": {"type": "array", "items": GROUP},
            },
        },
    },
}  # fmt: skip
"""The fields of KubeRay's custom resource that a cluster of ours uses."""


def kuberay():
    return list(yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text()))


def test_the_file_for_kubernetes_has_the_form_of_its_resource():
    cluster, _ = kuberay()
    validate(cluster, RAY_CLUSTER)
    for group in cluster["spec"]["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    cluster["spec"]["headGroupSpec"]["rayStartParams"]["num-cpus"] = 0
    with pytest.raises(ValidationError):
        validate(cluster, RAY_CLUSTER)


def test_only_the_cluster_itself_reaches_its_ports():
    cluster, policy = kuberay()
    assert cluster["spec"]["headGroupSpec"]["serviceType"] == "ClusterIP"
    own = {"ray.io/cluster": cluster["metadata"]["name"]}
    assert policy["spec"]["podSelector"]["matchLabels"] == own
    assert policy["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"] == own


def test_the_file_for_the_launcher_has_the_form_of_its_schema():
    ray = pytest.importorskip("ray", reason="Ray brings the schema")
    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    cloud = yaml.safe_load((FOLDER / "cloud.yaml").read_text())
    validate(cloud, schema)
    assert cloud["head_node_type"] in cloud["available_node_types"]
    with pytest.raises(ValidationError):
        validate(cloud | {"max_workers": "many"}, schema)


def test_the_files_name_the_version_of_ray_that_is_pinned():
    pinned = dict(line.split("==") for line in (REPOSITORY / "constraints.txt").read_text().split())
    assert kuberay()[0]["spec"]["rayVersion"] == pinned["ray"]
