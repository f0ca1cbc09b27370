import { useState } from "react";
import { call } from "@/api/client";
import { Button } from "@/components/ui/button";
import { Panel } from "@/components/ui/panel";
import { Refusal } from "@/components/ui/refusal";
import { confirm } from "@/lib/confirm";

export function DeleteProject({ slug }: { slug: string }) {
  const [error, setError] = useState<unknown>(null);
  const remove = async () => {
    const sure = await confirm({
      title: `Delete the project ${slug}?`,
      text: "Deletes its members, keys and invitations too. This cannot be undone.",
      action: "Delete",
      danger: true,
      typed: slug,
    });
    if (!sure) return;
    try {
      await call("DELETE /projects/{id}", { path: { id: slug } });
      location.assign("/");
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <Panel title="Delete this project">
      <p className="mb-3 text-sm text-muted">
        Only a project with no jobs, running work or secrets can be deleted. Its audit trail stays.
      </p>
      <Refusal error={error} />
      <Button variant="danger" className="mt-3" onClick={() => void remove()}>
        Delete the project
      </Button>
    </Panel>
  );
}
