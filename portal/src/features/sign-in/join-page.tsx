import { PageHeader } from "@/components/ui/page-header";
import { Join } from "./join";

/** For users who have an account and follow an invitation. */
export default function JoinPage() {
  return (
    <div className="max-w-md space-y-4">
      <PageHeader title="Join a project" description="You have been invited to join a project." />
      <Join />
    </div>
  );
}
