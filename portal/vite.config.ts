import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));
const server = process.env.HORAE_URL ?? "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react(), tailwind()],
  resolve: {
    alias: [
      { find: "@", replacement: source("") },
      // Radix brings it along for dialogs; it writes <style> elements, which our CSP forbids.
      { find: "react-remove-scroll", replacement: source("lib/remove-scroll.tsx") },
    ],
  },
  server: {
    // The browser's Host and Origin are kept: the server takes its cookie only from its own pages.
    proxy: Object.fromEntries(["/api", "/health", "/openapi.json", "/docs"].map((path) => [path, { target: server }])),
  },
  build: {
    target: "es2022",
    manifest: true,
    assetsInlineLimit: 0, // data: URLs would need a hole in the CSP
    chunkSizeWarningLimit: 600,
  },
  test: {
    environment: "node", // a test that needs a document says so: // @vitest-environment happy-dom
    include: ["src/**/*.test.{ts,tsx}"],
    restoreMocks: true,
  },
});
