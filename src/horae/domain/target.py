"""What a job runs. One model per kind; `kind` tells them apart."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from horae.domain.json_value import plain_json
from horae.domain.refusal import refusal
from horae.domain.text import header_name, header_value, http_url, plain_text

_FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True)

Text = Annotated[str, AfterValidator(plain_text)]
HttpMethod = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]


class HttpTarget(BaseModel):
    """Calls a URL; a 2xx answer is a success."""

    model_config = _FROZEN

    kind: Literal["http"] = "http"
    method: HttpMethod = "POST"
    url: Annotated[str, Field(max_length=8_000), AfterValidator(http_url)]
    headers: Annotated[
        dict[
            Annotated[str, AfterValidator(header_name)],
            Annotated[str, Field(max_length=8_192), AfterValidator(header_value)],
        ],
        Field(max_length=100),
    ] = Field(default_factory=dict)
    query: dict[Text, Text] = Field(default_factory=dict)
    body: Text | None = None

    @property
    def needs(self) -> str:
        return "http"


class ScriptTarget(BaseModel):
    """Runs a script in its own process group on the worker's machine."""

    model_config = _FROZEN

    kind: Literal["script"] = "script"
    interpreter: Annotated[Text, StringConstraints(min_length=1, max_length=4_096)] = "bash"
    source: Text | None = None
    file: Annotated[Text, StringConstraints(min_length=1, max_length=4_096)] | None = None
    args: Annotated[tuple[Text, ...], Field(strict=False)] = ()
    env: dict[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], Text] = Field(
        default_factory=dict
    )
    cwd: Text | None = None

    @model_validator(mode="after")
    def _one_script(self) -> ScriptTarget:
        if (self.source is None) == (self.file is None):
            raise refusal("source", "must be given, or file instead of it")
        if self.interpreter not in ("bash", "sh", "python") and not self.interpreter.startswith("/"):
            raise refusal("interpreter", "must be bash, sh, python or an absolute path")
        return self

    @property
    def needs(self) -> str:
        return "script"


class PythonTarget(BaseModel):
    """Calls a function that workers have registered with `@horae.task`."""

    model_config = _FROZEN

    kind: Literal["python"] = "python"
    function: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_.]*$", max_length=200)]
    arguments: Annotated[dict[str, Any], AfterValidator(plain_json)] = Field(default_factory=dict)

    @property
    def needs(self) -> str:
        return f"python:{self.function}"


Target = Annotated[HttpTarget | ScriptTarget | PythonTarget, Field(discriminator="kind")]
