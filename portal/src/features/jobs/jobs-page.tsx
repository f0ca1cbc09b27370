import { PageHeader } from "@/components/ui/page-header";

export default function JobsPage() {
  return <PageHeader title="Jobs" />;
}
