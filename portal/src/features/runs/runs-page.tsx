import { PageHeader } from "@/components/ui/page-header";

export default function RunsPage() {
  return <PageHeader title="Runs" />;
}
