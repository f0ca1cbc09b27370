import { call } from "@/api/client";
import { toastError } from "@/lib/toasts";

/** Where to go after a job was saved and run: its run, or itself if it did not start. */
export async function runOnce(id: string): Promise<string> {
  try {
    const run = await call("POST /jobs/{id}/run", { path: { id } });
    return `/runs/${run.id}`;
  } catch (error) {
    toastError("Saved, but it could not be run", error);
    return `/jobs/${id}`;
  }
}
