import { Monitor, Moon, Sun } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem } from "@/components/ui/menu";
import { setTheme, type Theme, useTheme } from "@/lib/theme";

const CHOICES: { theme: Theme; label: string; icon: typeof Sun }[] = [
  { theme: "light", label: "Light", icon: Sun },
  { theme: "dark", label: "Dark", icon: Moon },
  { theme: "system", label: "System", icon: Monitor },
];

export function ThemeSwitch() {
  const theme = useTheme();
  const Icon = CHOICES.find((choice) => choice.theme === theme)?.icon ?? Monitor;
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="icon" aria-label={`Theme: ${theme}`}>
          <Icon />
        </Button>
      }
    >
      {CHOICES.map((choice) => (
        <MenuItem key={choice.theme} onSelect={() => setTheme(choice.theme)}>
          <choice.icon aria-hidden /> {choice.label}
        </MenuItem>
      ))}
    </Menu>
  );
}
