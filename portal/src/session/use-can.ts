import { useSession } from "./session";

/** Whether the signed-in user may do a thing here; buttons for the rest are not shown. The server decides anyway. */
export function useCan(): (permission: string) => boolean {
  const session = useSession();
  const permissions = session.state === "in" ? session.place?.permissions : undefined;
  return (permission) => permissions?.includes(permission) ?? false;
}
