// Generated from the OpenAPI document by `npm run types`. Do not edit.
import type { Rule } from "./rule";

export const RULES: Record<string, Rule> = {
  "JobBody": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string",
        "minLength": 1,
        "maxLength": 200
      },
      "description": {
        "type": "string",
        "maxLength": 10000
      },
      "tags": {
        "type": "array",
        "maxItems": 50,
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        }
      },
      "target": {
        "choices": [
          {
            "ref": "HttpTargetInput"
          },
          {
            "ref": "ScriptTargetInput"
          },
          {
            "ref": "PythonTarget"
          },
          {
            "ref": "ContainerTargetInput"
          },
          {
            "ref": "ArtifactTargetInput"
          },
          {
            "ref": "CeleryTargetInput"
          }
        ]
      },
      "retry": {
        "ref": "RetryInput"
      },
      "timeout": {
        "choices": [
          {
            "type": "number",
            "minimum": 1,
            "maximum": 604800
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "overlap": {
        "type": "string"
      },
      "max_instances": {
        "choices": [
          {
            "type": "integer",
            "minimum": 1,
            "maximum": 10000
          }
        ]
      },
      "catch_up": {
        "type": "string"
      },
      "catch_up_window": {
        "choices": [
          {
            "type": "integer",
            "minimum": 0,
            "maximum": 315360000
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "queue": {
        "type": "string",
        "minLength": 1,
        "maxLength": 100
      },
      "priority": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9
      },
      "start_within": {
        "choices": [
          {
            "type": "number",
            "minimum": 1,
            "maximum": 31536000
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "grace": {
        "choices": [
          {
            "type": "number",
            "minimum": 0,
            "maximum": 600
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "keep": {
        "type": "boolean"
      },
      "notify": {
        "type": "array",
        "maxItems": 20,
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        }
      },
      "alert": {
        "choices": [
          {
            "ref": "AlertSpecInput"
          }
        ]
      },
      "enabled": {
        "type": "boolean"
      }
    }
  },
  "HttpTargetInput": {
    "type": "object",
    "properties": {
      "kind": {
        "type": "string",
        "const": "http"
      },
      "method": {
        "type": "string"
      },
      "url": {
        "type": "string",
        "maxLength": 8000
      },
      "headers": {
        "type": "object"
      },
      "query": {
        "type": "object"
      },
      "body": {
        "choices": [
          {
            "type": "string"
          }
        ]
      },
      "auth": {
        "choices": [
          {
            "ref": "HttpAuthInput"
          }
        ]
      },
      "expect": {
        "type": "array",
        "minItems": 1,
        "maxItems": 50,
        "items": {
          "type": "string"
        }
      },
      "follow_redirects": {
        "type": "boolean"
      },
      "sign_with": {
        "type": "array",
        "maxItems": 5,
        "items": {
          "type": "string",
          "maxLength": 100,
          "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"
        }
      },
      "callback": {
        "choices": [
          {
            "ref": "HttpCallbackInput"
          }
        ]
      }
    }
  },
  "HttpAuthInput": {
    "type": "object",
    "properties": {
      "bearer": {
        "choices": [
          {
            "type": "string"
          }
        ]
      },
      "basic": {
        "choices": [
          {
            "ref": "BasicAuth"
          }
        ]
      }
    }
  },
  "BasicAuth": {
    "type": "object",
    "properties": {
      "username": {
        "type": "string"
      },
      "password": {
        "type": "string"
      }
    }
  },
  "HttpCallbackInput": {
    "type": "object",
    "properties": {
      "timeout": {
        "choices": [
          {
            "type": "number",
            "minimum": 1,
            "maximum": 2592000
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      }
    }
  },
  "ScriptTargetInput": {
    "type": "object",
    "properties": {
      "kind": {
        "type": "string",
        "const": "script"
      },
      "interpreter": {
        "type": "string",
        "minLength": 1,
        "maxLength": 4096
      },
      "source": {
        "choices": [
          {
            "type": "string"
          }
        ]
      },
      "file": {
        "choices": [
          {
            "type": "string",
            "minLength": 1,
            "maxLength": 4096
          }
        ]
      },
      "args": {
        "type": "array",
        "maxItems": 10000,
        "items": {
          "type": "string"
        }
      },
      "env": {
        "type": "object",
        "keys": {
          "maxLength": 200,
          "type": "string",
          "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"
        }
      },
      "cwd": {
        "choices": [
          {
            "type": "string",
            "minLength": 1,
            "maxLength": 4096
          }
        ]
      },
      "limits": {
        "ref": "LimitsInput"
      },
      "sandbox": {
        "choices": [
          {
            "ref": "Sandbox"
          }
        ]
      }
    }
  },
  "LimitsInput": {
    "type": "object",
    "properties": {
      "memory": {
        "choices": [
          {
            "type": "integer",
            "minimum": 1048576,
            "maximum": 17592186044416
          },
          {
            "type": "string",
            "pattern": "^[0-9][0-9.]* ?([KMGT]i?)?B?$",
            "example": "512MiB"
          }
        ]
      },
      "cpu": {
        "choices": [
          {
            "type": "number",
            "maximum": 604800,
            "exclusiveMinimum": 0
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "files": {
        "choices": [
          {
            "type": "integer",
            "minimum": 8,
            "maximum": 1000000
          }
        ]
      },
      "processes": {
        "choices": [
          {
            "type": "integer",
            "minimum": 1,
            "maximum": 100000
          }
        ]
      }
    }
  },
  "Sandbox": {
    "type": "object",
    "properties": {
      "network": {
        "type": "boolean"
      },
      "read_only": {
        "type": "boolean"
      }
    }
  },
  "PythonTarget": {
    "type": "object",
    "properties": {
      "kind": {
        "type": "string",
        "const": "python"
      },
      "function": {
        "type": "string",
        "maxLength": 200,
        "pattern": "^[A-Za-z_][A-Za-z0-9_.]*$"
      },
      "arguments": {
        "type": "object"
      },
      "locked": {
        "type": "array",
        "maxItems": 1000,
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      }
    }
  },
  "ContainerTargetInput": {
    "type": "object",
    "properties": {
      "kind": {
        "type": "string",
        "const": "container"
      },
      "image": {
        "type": "string"
      },
      "entrypoint": {
        "choices": [
          {
            "type": "array",
            "minItems": 1,
            "maxItems": 100,
            "items": {
              "type": "string"
            }
          }
        ]
      },
      "command": {
        "type": "array",
        "maxItems": 10000,
        "items": {
          "type": "string"
        }
      },
      "env": {
        "type": "object",
        "keys": {
          "maxLength": 200,
          "type": "string",
          "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"
        }
      },
      "cwd": {
        "choices": [
          {
            "type": "string",
            "minLength": 1,
            "maxLength": 4096
          }
        ]
      },
      "user": {
        "choices": [
          {
            "type": "string",
            "minLength": 1,
            "maxLength": 100
          }
        ]
      },
      "mounts": {
        "type": "array",
        "maxItems": 50,
        "items": {
          "ref": "Mount"
        }
      },
      "limits": {
        "ref": "ContainerLimitsInput"
      },
      "network": {
        "type": "boolean"
      },
      "pull": {
        "type": "string"
      },
      "reuse": {
        "type": "boolean"
      }
    }
  },
  "Mount": {
    "type": "object",
    "properties": {
      "source": {
        "type": "string",
        "minLength": 1,
        "maxLength": 4096
      },
      "target": {
        "type": "string",
        "minLength": 1,
        "maxLength": 4096
      },
      "read_only": {
        "type": "boolean"
      }
    }
  },
  "ContainerLimitsInput": {
    "type": "object",
    "properties": {
      "memory": {
        "choices": [
          {
            "type": "integer",
            "minimum": 6291456,
            "maximum": 17592186044416
          },
          {
            "type": "string",
            "pattern": "^[0-9][0-9.]* ?([KMGT]i?)?B?$",
            "example": "512MiB"
          }
        ]
      },
      "cpus": {
        "choices": [
          {
            "type": "number",
            "minimum": 0.01,
            "maximum": 1024
          }
        ]
      },
      "processes": {
        "choices": [
          {
            "type": "integer",
            "minimum": 1,
            "maximum": 100000
          }
        ]
      }
    }
  },
  "ArtifactTargetInput": {
    "type": "object",
    "properties": {
      "kind": {
        "type": "string",
        "const": "artifact"
      },
      "uri": {
        "type": "string"
      },
      "digest": {
        "type": "string"
      },
      "entrypoint": {
        "choices": [
          {
            "type": "string",
            "maxLength": 500
          },
          {
            "type": "array",
            "minItems": 1,
            "maxItems": 10000,
            "items": {
              "type": "string"
            }
          }
        ]
      },
      "arguments": {
        "type": "object"
      },
      "locked": {
        "type": "array",
        "maxItems": 1000,
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      "env": {
        "type": "object",
        "keys": {
          "maxLength": 200,
          "type": "string",
          "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"
        }
      },
      "install": {
        "type": "boolean"
      },
      "image": {
        "choices": [
          {
            "type": "string"
          }
        ]
      },
      "limits": {
        "ref": "LimitsInput"
      }
    }
  },
  "CeleryTargetInput": {
    "type": "object",
    "properties": {
      "kind": {
        "type": "string",
        "const": "celery"
      },
      "task": {
        "type": "string",
        "minLength": 1,
        "maxLength": 190
      },
      "queue": {
        "choices": [
          {
            "type": "string",
            "minLength": 1,
            "maxLength": 200
          }
        ]
      },
      "args": {
        "type": "array",
        "maxItems": 1000,
        "items": {}
      },
      "kwargs": {
        "type": "object"
      },
      "locked": {
        "type": "array",
        "maxItems": 1000,
        "items": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200
        }
      },
      "priority": {
        "choices": [
          {
            "type": "integer",
            "minimum": 0,
            "maximum": 9
          }
        ]
      },
      "headers": {
        "type": "object"
      },
      "track": {
        "type": "boolean"
      }
    }
  },
  "RetryInput": {
    "type": "object",
    "properties": {
      "max_attempts": {
        "type": "integer",
        "minimum": 1,
        "maximum": 100
      },
      "backoff": {
        "type": "string"
      },
      "delay": {
        "choices": [
          {
            "type": "number",
            "minimum": 0,
            "maximum": 86400
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "max_delay": {
        "choices": [
          {
            "type": "number",
            "minimum": 0,
            "maximum": 604800
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "jitter": {
        "type": "number",
        "minimum": 0,
        "maximum": 1
      },
      "permanent_exit_codes": {
        "type": "array",
        "maxItems": 255,
        "items": {
          "type": "integer",
          "minimum": 1,
          "maximum": 255
        }
      }
    }
  },
  "AlertSpecInput": {
    "type": "object",
    "properties": {
      "failing": {
        "choices": [
          {
            "type": "integer",
            "minimum": 0,
            "maximum": 1000000
          }
        ]
      },
      "late": {
        "choices": [
          {
            "type": "number",
            "minimum": 0,
            "maximum": 31622400
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "longer_than": {
        "choices": [
          {
            "type": "number",
            "minimum": 1,
            "maximum": 31622400
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "shorter_than": {
        "choices": [
          {
            "type": "number",
            "minimum": 1,
            "maximum": 31622400
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "done_by": {
        "choices": [
          {
            "type": "string",
            "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"
          }
        ]
      },
      "no_success_for": {
        "choices": [
          {
            "type": "number",
            "minimum": 1,
            "maximum": 31622400
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      },
      "missed": {
        "type": "boolean"
      },
      "failure_budget": {
        "choices": [
          {
            "ref": "FailureBudgetInput"
          }
        ]
      }
    }
  },
  "FailureBudgetInput": {
    "type": "object",
    "properties": {
      "failures": {
        "type": "integer",
        "minimum": 1,
        "maximum": 1000000
      },
      "within": {
        "choices": [
          {
            "type": "number",
            "minimum": 3600,
            "maximum": 2592000
          },
          {
            "type": "string",
            "pattern": "^[0-9P][0-9A-Za-z.,]*$",
            "example": "1h30m"
          }
        ]
      }
    }
  }
};
