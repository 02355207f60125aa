"use strict";
(() => { // light, dark, or as the system has it: the button `theme` of a page
  const themes = { "": "system", light: "light", dark: "dark" }, names = Object.keys(themes);
  const remembered = (value) => { // a browser may not allow storage for a file
    try {
      if (value === undefined) return localStorage.getItem("gatree-theme") ?? "";
      localStorage.setItem("gatree-theme", value);
    } catch { /* then the theme is not remembered */ }
    return "";
  };
  const button = document.getElementById("theme");
  const apply = (theme) => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    button.textContent = `Theme: ${themes[theme]}`;
  };
  let theme = remembered() in themes ? remembered() : "";
  apply(theme);
  button.addEventListener("click", () => {
    theme = names[(names.indexOf(theme) + 1) % names.length];
    apply(theme);
    remembered(theme);
  });
})();
