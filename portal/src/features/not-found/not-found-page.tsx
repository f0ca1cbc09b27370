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
        title="Page not found"
        action={
          <Button asChild>
            <Link to="/jobs">Go to jobs</Link>
          </Button>
        }
      >
        Check the address, or press Ctrl-K to find pages and jobs.
      </EmptyState>
    </>
  );
}
