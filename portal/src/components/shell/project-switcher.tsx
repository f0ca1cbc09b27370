import { Check, ChevronsUpDown } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuLabel } from "@/components/ui/menu";
import { pathIn } from "@/session/project-path";
import { useSession } from "@/session/session";

/** Switching projects reloads the page: no data of this project remains. */
export function ProjectSwitcher() {
  const session = useSession();
  if (session.state !== "in" || !session.place) return null;
  const { place, places } = session;
  if (places.length < 2) return <span className="truncate text-sm text-muted">{place.name}</span>;
  return (
    <Menu
      align="start"
      trigger={
        <Button variant="ghost" size="md" aria-label={`Project: ${place.name}`} className="min-w-0 shrink">
          <span className="truncate">{place.name}</span>
          <ChevronsUpDown className="text-muted" />
        </Button>
      }
    >
      <MenuLabel>Projects</MenuLabel>
      {places.map((one) => (
        <MenuItem key={one.slug} onSelect={() => location.assign(pathIn(one.slug, location.pathname))}>
          <span className="flex size-4 items-center">{one.slug === place.slug ? <Check aria-hidden /> : null}</span>
          <span className="flex-1">{one.name}</span>
          <span className="text-xs text-muted">{one.role}</span>
        </MenuItem>
      ))}
    </Menu>
  );
}
