import { PageHeader } from "@/components/ui/page-header";

export default function RunPage() {
  return <PageHeader title="Run" />;
}
