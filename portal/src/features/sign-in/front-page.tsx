import type { ReactNode } from "react";
import { Brand } from "@/components/shell/brand";
import { ThemeSwitch } from "@/components/shell/theme-switch";

interface FrontPageProps {
  title: string;
  text?: ReactNode;
  children: ReactNode;
}

/** What users see before they sign in. */
export function FrontPage({ title, text, children }: FrontPageProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 items-center justify-between px-5">
        <Brand />
        <ThemeSwitch />
      </header>
      <main className="mx-auto w-full max-w-sm flex-1 px-5 pt-[10vh] pb-10">
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {text ? <div className="mt-1 mb-6 text-sm text-muted">{text}</div> : <div className="mb-6" />}
        {children}
      </main>
    </div>
  );
}
