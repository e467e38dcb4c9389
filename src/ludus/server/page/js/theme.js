// Runs before the first paint, so that no page flashes in the wrong theme.
try {
  const { theme, deck } = JSON.parse(localStorage.getItem("preferences") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  document.documentElement.dataset.deck = deck === "two" ? "two" : "four";
} catch { localStorage.removeItem("preferences"); }
