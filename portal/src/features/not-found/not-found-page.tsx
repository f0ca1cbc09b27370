import { Compass } from "lucide-react";
import { Link } from "react-router";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";

export default function NotFoundPage() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState
        icon={Compass}
        title="There is no such page"
        action={
          <Button asChild>
            <Link to="/jobs">Go to the jobs</Link>
          </Button>
        }
      >
        The address may be mistyped, or from an older version. Ctrl-K finds pages and jobs by name.
      </EmptyState>
    </>
  );
}
