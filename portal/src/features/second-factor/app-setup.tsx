import type { EnrolmentView } from "@/api/schema";
import { CopyButton } from "@/components/ui/copy-button";
import { CodeField } from "./code-field";
import { qrPath } from "./qr-path";

const PIXELS = 4; // of a module: whole ones, so that all are of one size
const QUIET = 4; // light modules around it, without which apps do not recognise it

/** The key for an authenticator app, and the field for its first code. */
export function AppSetup({ enrolment, error }: { enrolment: EnrolmentView; error?: string }) {
  const size = enrolment.qr.length + 2 * QUIET;
  return (
    <div className="space-y-4">
      <p className="text-sm text-muted">
        Scan this with an authenticator app on your phone, or enter the key below by hand.
      </p>
      <svg
        role="img"
        aria-label="QR code for your authenticator app"
        viewBox={`${-QUIET} ${-QUIET} ${size} ${size}`}
        width={size * PIXELS}
        height={size * PIXELS}
        shapeRendering="crispEdges"
        className="mx-auto block rounded-md"
      >
        {/* Dark on light in both themes: not every app reads the opposite. */}
        <rect x={-QUIET} y={-QUIET} width={size} height={size} fill="#ffffff" />
        <path d={qrPath(enrolment.qr)} fill="#000000" />
      </svg>
      <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
        <code data-testid="secret" className="min-w-0 flex-1 font-mono text-xs break-all">
          {enrolment.secret.replace(/(.{4})(?=.)/g, "$1 ")}
        </code>
        <CopyButton text={enrolment.secret} label="Copy key" />
      </div>
      <CodeField label="Code from the app" hint="Six digits, to confirm that it works." error={error} />
    </div>
  );
}
