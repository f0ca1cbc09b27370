import { Button } from "@/components/ui/button";
import { signOut } from "@/session/session";
import { FrontPage } from "./front-page";
import { Join } from "./join";

/** For users who are members of no project yet. */
export function NoProject() {
  if (location.pathname === "/join") {
    return (
      <FrontPage title="Join a project" text="You have been invited to join a project.">
        <Join />
      </FrontPage>
    );
  }
  return (
    <FrontPage
      title="No project yet"
      text="You are not a member of any project. Ask a project owner for an invitation link."
    >
      <Button onClick={() => void signOut()}>Sign out</Button>
    </FrontPage>
  );
}
