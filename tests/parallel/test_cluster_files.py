"""The files that start clusters have the form that Kubernetes' operator and Ray's launcher ask for."""

import json
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from jsonschema import ValidationError, validate

from paths import REPOSITORY

FOLDER = REPOSITORY / "examples" / "cluster"
PARAMETERS = {"type": "object", "additionalProperties": {"type": "string"}}  # all texts, numbers too
GROUP = {
    "type": "object", "required": ["groupName", "rayStartParams", "template"], "additionalProperties": False,
    "properties": {
        "groupName": {"type": "string"}, "rayStartParams": PARAMETERS, "template": {"type": "object"},
        **{name: {"type": "integer", "minimum": 0} for name in ("replicas", "minReplicas", "maxReplicas")},
    },
}  # fmt: skip
RAY_CLUSTER = {
    "type": "object", "required": ["apiVersion", "kind", "metadata", "spec"], "additionalProperties": False,
    "properties": {
        "apiVersion": {"const": "ray.io/v1"}, "kind": {"const": "RayCluster"}, "metadata": {"type": "object"},
        "spec": {
            "type": "object", "required": ["headGroupSpec"], "additionalProperties": False,
            "properties": {
                "rayVersion": {"type": "string"},
                "headGroupSpec": {
                    "type": "object", "required": ["template"], "additionalProperties": False,
                    "properties": {
                        "serviceType": {"enum": ["ClusterIP", "NodePort", "LoadBalancer"]},
                        "rayStartParams": PARAMETERS, "template": {"type": "object"},
                    },
                },
                "workerGroupSpecs": {"type": "array", "items": GROUP},
            },
        },
    },
}  # fmt: skip
"""The few fields of KubeRay's own resource around the pods, whose definition no package has."""


def kuberay():
    return list(yaml.safe_load_all((FOLDER / "kuberay.yaml").read_text()))


def pods(cluster):
    """The pods of a cluster as Kubernetes would have them by themselves."""
    spec = cluster["spec"]
    for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"]):
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": cluster["metadata"], **group["template"]}


def test_the_file_for_kubernetes_has_the_form_of_its_resources():
    cluster, policy = kuberay()
    validate(cluster, RAY_CLUSTER)
    for group in cluster["spec"]["workerGroupSpecs"]:
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    for resource in (policy, *pods(cluster)):
        kubernetes_validate.validate(resource, kubernetes_validate.latest_version(), strict=True)
    for pod in pods(cluster):
        pod["spec"]["containers"][0]["volumeMount"] = []
        with pytest.raises(kubernetes_validate.ValidationError, match="volumeMount"):
            kubernetes_validate.validate(pod, kubernetes_validate.latest_version(), strict=True)
    cluster["spec"]["headGroupSpec"]["rayStartParams"]["num-cpus"] = 0
    with pytest.raises(ValidationError):
        validate(cluster, RAY_CLUSTER)


def test_ray_reads_the_file_for_kubernetes_as_it_is_meant():
    """By what Ray's autoscaler on Kubernetes itself reads such a file with; it checks the result by Ray's schema."""
    reader = pytest.importorskip("ray.autoscaler._private.kuberay.autoscaling_config", reason="needs the extra 'ray'")
    cluster, _ = kuberay()
    cluster["metadata"]["namespace"] = "default"
    found = reader._derive_autoscaling_config_from_ray_cr(cluster)["available_node_types"]
    assert {name: (kind["resources"]["CPU"], kind["resources"].get("GPU", 0)) for name, kind in found.items()} == {
        "headgroup": (0, 0), "cores": (16, 0), "gpus": (8, 1)
    }  # fmt: skip
    assert (found["cores"]["min_workers"], found["cores"]["max_workers"]) == (0, 64)


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
    assert cloud["available_node_types"]["gpus"]["resources"]["GPU"] == 1
    with pytest.raises(ValidationError):
        validate(cloud | {"max_workers": "many"}, schema)


def test_the_files_name_the_version_of_ray_that_is_pinned():
    pinned = dict(line.split("==") for line in (REPOSITORY / "constraints.txt").read_text().split())
    assert kuberay()[0]["spec"]["rayVersion"] == pinned["ray"]
